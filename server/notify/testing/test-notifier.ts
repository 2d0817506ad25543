import type { ControlStore } from '../../control/control-store.ts'
import { createNotifier, type Notifier, type NotifierOptions } from '../notifier.ts'

/** Sends to this machine, and repeats at once what fails. */
export function createTestNotifier(control: ControlStore, options: Partial<NotifierOptions> = {}): Notifier {
  return createNotifier({
    control,
    diagnose: async () => [],
    publicUrl: 'https://faultline.example',
    networks: ['127.0.0.1'],
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
