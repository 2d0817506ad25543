import type { ControlStore } from '../../control/control-store.ts'
import type { Routes } from '../endpoint.ts'
import { registerChanges } from './diagnostics/changes.ts'
import { registerHealth } from './diagnostics/health.ts'
import { registerTimeline } from './diagnostics/timeline.ts'

export function registerDiagnostics(routes: Routes, control: ControlStore): void {
  registerHealth(routes)
  registerTimeline(routes, control)
  registerChanges(routes, control)
}
