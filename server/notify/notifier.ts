import { randomUUID } from 'node:crypto'
import type { ControlStore } from '../control/control-store.ts'
import type { Delivery, DueDelivery } from '../control/notification-store.ts'
import type { NotificationChannel } from '../domain/notification-channel.ts'
import { createAddressGuard } from './address-guard.ts'
import { alertsMessage, testMessage } from './message.ts'
import type { NotificationMeasures } from './notification-measures.ts'
import { createRecentDiagnoses, type Diagnose } from './recent-diagnoses.ts'
import { send } from './send.ts'

const POLL_MS = 1_000
const SEND_TIMEOUT_MS = 10_000
const DIAGNOSIS_TIMEOUT_MS = 10_000
const STOP_PATIENCE_MS = 2_000
const CHANNELS_AT_ONCE = 8
const TESTS_AT_ONCE = 8
const GIVE_UP_AFTER_HOURS = 24
const GIVE_UP_INTERVAL_MS = 60_000
const MS_PER_HOUR = 3_600_000
const RETRY_MIN_MS = 2_000
const RETRY_MAX_MS = 300_000

export interface NotifierOptions {
  control: Pick<ControlStore, 'grids' | 'channels' | 'outbox'>
  diagnose: Diagnose
  publicUrl: string
  /** Networks inside the server's own that may be sent to. */
  networks: readonly string[]
  measures: NotificationMeasures
  clock: () => number
  log: (fields: object, message: string) => void
  report: (error: unknown) => void
  pollMs?: number
  sendTimeoutMs?: number
  retryMinMs?: number
}

export interface Notifier {
  /** Why nothing would be sent to a host, where its name alone says so. */
  refusalOf(host: string): string | undefined
  /** Sends a message that says only that the channel works. Undefined where too many are being sent. */
  test(channel: NotificationChannel): Promise<Delivery | undefined>
  /** Begins to send what the outbox holds. Returns how to stop it, which calls off what is under way. */
  start(): () => Promise<void>
}

export function createNotifier(options: NotifierOptions): Notifier {
  const { control, publicUrl, clock, log, measures } = options
  const { pollMs = POLL_MS, sendTimeoutMs: timeoutMs = SEND_TIMEOUT_MS, retryMinMs = RETRY_MIN_MS } = options
  const guard = createAddressGuard(options.networks)
  const diagnosesOf = createRecentDiagnoses(options.diagnose, DIAGNOSIS_TIMEOUT_MS)
  const stopping = new AbortController()
  const { signal } = stopping
  const busy = new Map<string, Promise<void>>()
  let testing = 0
  let givenUpAtMs = 0
  let wake = () => {}
  // What fails because the server is closing is nobody's concern.
  const report = (error: unknown) => signal.aborted || options.report(error)

  async function gridNameOf(gridId: string): Promise<string> {
    return (await control.grids.find(gridId))?.name ?? ''
  }

  /** Undefined where more has to be told than was known a moment ago. */
  async function settledMessage(delivery: DueDelivery): Promise<string | undefined> {
    if (delivery.message !== null) return delivery.message
    const { id, channel, createdAtMs, alerts } = delivery
    const firing = alerts.some(({ transition }) => transition === 'firing')
    const diagnoses = firing ? await diagnosesOf(channel.gridId, createdAtMs) : []
    const message = JSON.stringify(alertsMessage(delivery, await gridNameOf(channel.gridId), diagnoses, publicUrl))
    return (await control.outbox.settle(id, alerts.length, message)) ? message : undefined
  }

  async function deliver(delivery: DueDelivery): Promise<void> {
    const { id, channel, secret, attempts } = delivery
    const message = await settledMessage(delivery)
    if (message === undefined || signal.aborted) return
    const attempt = await send(guard, { channel, secret, message, nowMs: clock(), signal, timeoutMs })
    // That it was called off says nothing of the receiver.
    if (signal.aborted && !attempt.delivered) return
    measures.attempted(channel.target.kind, attempt.delivered)
    const nowMs = clock()
    await control.outbox.note(id, attempt, nowMs, nowMs + retryDelayMs(attempts, retryMinMs))
    if (!attempt.delivered && attempts === 0)
      log({ ...namesOf(channel), deliveryId: id, reason: attempt.error }, 'a notification failed, and will be repeated')
  }

  async function giveUp(): Promise<void> {
    const nowMs = clock()
    if (nowMs - givenUpAtMs < GIVE_UP_INTERVAL_MS) return
    givenUpAtMs = nowMs
    for (const { channel, count } of await control.outbox.giveUp(nowMs - GIVE_UP_AFTER_HOURS * MS_PER_HOUR)) {
      measures.givenUp(channel.target.kind, count)
      log(
        { ...namesOf(channel), count },
        `notifications given up: undelivered for ${GIVE_UP_AFTER_HOURS} hours, or too many`,
      )
    }
  }

  async function sendDue(): Promise<void> {
    await giveUp()
    const due = await control.outbox.due(clock(), [...busy.keys()], CHANNELS_AT_ONCE - busy.size)
    for (const delivery of due) {
      busy.set(delivery.channel.id, occupy(delivery))
    }
  }

  async function occupy(delivery: DueDelivery): Promise<void> {
    const failed = await deliver(delivery).then(
      () => false,
      (error) => {
        report(error)
        return true
      },
    )
    busy.delete(delivery.channel.id)
    // What fails here, and not at the receiver, would fail again at once.
    if (!failed) wake()
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      const waking = new Promise<void>((resolve) => {
        wake = resolve
      })
      await sendDue().catch(report)
      await Promise.race([waking, new Promise((resolve) => setTimeout(resolve, pollMs).unref())])
    }
    await Promise.all(busy.values())
  }

  return {
    refusalOf: guard.refusalOf,

    async test(channel) {
      if (testing >= TESTS_AT_ONCE) return undefined
      testing++
      try {
        const secret = (await control.channels.secretOf(channel.gridId, channel.id)) ?? ''
        const id = randomUUID()
        const grid = { gridSecondaryId: channel.gridId, name: await gridNameOf(channel.gridId) }
        const message = JSON.stringify(testMessage(id, grid, clock()))
        const attempt = await send(guard, { channel, secret, message, nowMs: clock(), signal, timeoutMs })
        measures.attempted(channel.target.kind, attempt.delivered)
        return await control.outbox.noteTest(channel, id, attempt, clock())
      } finally {
        testing--
      }
    },

    start() {
      const watching = watch()
      return async () => {
        stopping.abort()
        wake()
        const patience = new Promise((resolve) => setTimeout(resolve, STOP_PATIENCE_MS).unref())
        await Promise.race([watching, patience])
      }
    },
  }
}

function namesOf({ gridId, id, name }: NotificationChannel): object {
  return { gridId, channelId: id, channelName: name }
}

/** Twice as long each time, and never quite the same, so that receivers are not met by everybody at once. */
function retryDelayMs(attempts: number, minMs: number): number {
  const delayMs = Math.min(minMs * 2 ** Math.min(attempts, 20), RETRY_MAX_MS)
  return Math.round(delayMs * (0.8 + 0.2 * Math.random()))
}
