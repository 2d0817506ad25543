import { Registry } from 'prom-client'
import type { ControlStore } from '../../control/control-store.ts'
import { createNotificationMeasures } from '../notification-measures.ts'
import { createNotifier, type Notifier, type NotifierOptions } from '../notifier.ts'

/** Sends to this machine, and repeats at once what fails. */
export function createTestNotifier(control: ControlStore, options: Partial<NotifierOptions> = {}): Notifier {
  return createNotifier({
    control,
    diagnose: async () => [],
    publicUrl: 'https://faultline.example',
    networks: ['127.0.0.1'],
    measures: createNotificationMeasures(new Registry(), () => control.outbox.waiting()),
    clock: Date.now,
    log: () => undefined,
    report: (error) => {
      throw error
    },
    pollMs: 10,
    retryMinMs: 10,
    ...options,
  })
}
