import type { Routes } from '../endpoint.ts'
import { registerHealth } from './diagnostics/health.ts'
import { registerPressure } from './diagnostics/pressure.ts'

export function registerDiagnostics(routes: Routes): void {
  registerHealth(routes)
  registerPressure(routes)
}
