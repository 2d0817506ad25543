import type { AlertChange } from '../../control/alert-store.ts'
import type { ControlStore } from '../../control/control-store.ts'
import type { AlertRule } from '../../domain/alert-rule.ts'
import type { ChannelTarget, NotificationChannel } from '../../domain/notification-channel.ts'

/** A Grid whose first rule tells a channel, and what a look at it finds. */
export interface AlertFixture {
  gridId: string
  rule: AlertRule
  addChannel(target: ChannelTarget, secret?: string): Promise<NotificationChannel>
  fire(serviceNames: string[], nowMs?: number): Promise<void>
  resolve(serviceNames: string[], nowMs?: number): Promise<void>
  /** A look that finds nothing new. */
  look(nowMs?: number): Promise<void>
}

export async function createAlertFixture(
  control: Pick<ControlStore, 'grids' | 'alerts' | 'channels'>,
): Promise<AlertFixture> {
  const { id: gridId } = await control.grids.create({ name: 'Shop' })
  const rules = await control.alerts.rules.list(gridId)
  const first = rules.find(({ name }) => name === 'High Error Rate')
  if (!first) throw new Error('There is no rule.')
  const save = async (changes: AlertChange[], nowMs: number) => void (await control.alerts.save(gridId, changes, nowMs))
  const fixture: AlertFixture = {
    gridId,
    rule: first,
    async addChannel(target, secret = 'a signing secret') {
      const channel = await control.channels.create(gridId, { name: `Channel ${target.kind}`, target, secret })
      const channels = [...fixture.rule.channels, channel.id]
      fixture.rule = (await control.alerts.rules.update(gridId, first.id, { ...fixture.rule, channels }, 0)) ?? first
      return channel
    },
    async fire(serviceNames, nowMs = Date.now()) {
      const { rule } = fixture
      const alert = { kind: 'open', rule, condition: 'error_rate > 5%', sinceMs: nowMs, triggeredAtMs: nowMs } as const
      await save(
        serviceNames.map((serviceName) => ({ ...alert, serviceName, value: 12.5 })),
        nowMs,
      )
    },
    async resolve(serviceNames, nowMs = Date.now()) {
      const ending = (await control.alerts.unresolved(gridId)).filter((alert) =>
        serviceNames.includes(alert.serviceName),
      )
      const end = { kind: 'resolve', resolvedAtMs: nowMs, resolution: 'recovered', value: 1 } as const
      await save(
        ending.map(({ id }) => ({ ...end, id })),
        nowMs,
      )
    },
    look: (nowMs = Date.now()) => save([], nowMs),
  }
  return fixture
}
