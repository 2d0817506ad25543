import type { ControlStore } from '../../control/control-store.ts'
import type { Routes } from '../endpoint.ts'
import { registerActiveAlerts } from './diagnostics/alerts.ts'
import { registerHealth } from './diagnostics/health.ts'

export function registerDiagnostics(routes: Routes, control: ControlStore): void {
  registerHealth(routes)
  registerActiveAlerts(routes, control)
}
