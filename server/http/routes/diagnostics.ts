import type { ControlStore } from '../../control/control-store.ts'
import type { Routes } from '../endpoint.ts'
import { registerActiveAlerts } from './diagnostics/alerts.ts'
import { registerHealth } from './diagnostics/health.ts'
import { registerPressure } from './diagnostics/pressure.ts'

export function registerDiagnostics(routes: Routes, control: ControlStore): void {
  registerHealth(routes)
  registerPressure(routes)
  registerActiveAlerts(routes, control)
}
