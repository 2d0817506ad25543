import { DIALECTS, type Dialect } from '../../../../server/demo/emit/dialect.ts'
import type { HostSpec, ServiceSpec } from '../system/generated-system.ts'

/** One running copy of a service. */
export interface Instance {
  service: ServiceSpec
  /** Its place among the service's instances. */
  slot: number
  host: HostSpec
  id: string
  podName: string
  dialect: Dialect
}

export function makeInstance(service: ServiceSpec, slot: number, host: HostSpec, hex: string): Instance {
  return {
    service,
    slot,
    host,
    id: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
    podName: `${service.name}-${hex.slice(2, 11)}-${hex.slice(11, 16)}`,
    dialect: DIALECTS[service.runtime],
  }
}
