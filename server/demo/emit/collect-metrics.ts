import type { Instance } from '../shop/instance.ts'
import type { Shop } from '../shop/shop.ts'
import { instanceMetrics } from './instance-metrics.ts'

const METRIC_INTERVAL_MS = 15_000

/** Measures every instance that starts, at its own moment within each interval, until it is retired. */
export function collectMetrics(shop: Shop): (instance: Instance) => void {
  return (instance) => {
    const startTime = shop.recorder.now()
    let busyBeforeMs = 0
    const collect = (): void => {
      const busyMs = instance.processor.busyCoreMs
      const cpuUtilization = (busyMs - busyBeforeMs) / (METRIC_INTERVAL_MS * instance.processor.cores)
      busyBeforeMs = busyMs
      const endTime = shop.recorder.now()
      shop.recorder.addMetrics(instanceMetrics(shop, instance, { cpuUtilization, startTime, endTime }))
      if (!instance.isRetired) shop.kernel.after(METRIC_INTERVAL_MS, collect)
    }
    shop.kernel.after(METRIC_INTERVAL_MS, collect)
  }
}
