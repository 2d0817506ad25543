import type { ControlStore } from '../../control/control-store.ts'
import type { Routes } from '../endpoint.ts'
import { registerActiveAlerts } from './diagnostics/alerts.ts'
import { registerChanges } from './diagnostics/changes.ts'
import { registerCompare } from './diagnostics/compare.ts'
import { registerDiagnosis } from './diagnostics/diagnosis.ts'
import { registerHealth } from './diagnostics/health.ts'
import { registerPressure } from './diagnostics/pressure.ts'
import { registerService } from './diagnostics/service.ts'
import { registerServices } from './diagnostics/services.ts'
import { registerSlowestEndpoints } from './diagnostics/slowest-endpoints.ts'
import { registerTimeline } from './diagnostics/timeline.ts'
import { registerTrends } from './diagnostics/trends.ts'

export function registerDiagnostics(routes: Routes, control: ControlStore): void {
  registerHealth(routes)
  registerDiagnosis(routes, control)
  registerPressure(routes)
  registerActiveAlerts(routes, control)
  registerTrends(routes)
  registerServices(routes)
  registerTimeline(routes, control)
  registerService(routes)
  registerSlowestEndpoints(routes)
  registerChanges(routes, control)
  registerCompare(routes)
}
