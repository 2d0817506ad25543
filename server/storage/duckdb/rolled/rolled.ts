import type { RolledPoints } from './rolled-points.ts'
import type { RolledRequests } from './rolled-requests.ts'

/** What hours that are over are rolled up into. */
export interface Rolled {
  points: RolledPoints
  requests: RolledRequests
}
