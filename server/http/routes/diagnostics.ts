import type { ControlStore } from '../../control/control-store.ts'
import type { Routes } from '../endpoint.ts'
import { registerActiveAlerts } from './diagnostics/alerts.ts'
import { registerDiagnosis } from './diagnostics/diagnosis.ts'
import { registerHealth } from './diagnostics/health.ts'
import { registerPressure } from './diagnostics/pressure.ts'

export function registerDiagnostics(routes: Routes, control: ControlStore): void {
  registerHealth(routes)
  registerDiagnosis(routes, control)
  registerPressure(routes)
  registerActiveAlerts(routes, control)
}
