import type { Routes } from '../endpoint.ts'
import { registerHealth } from './diagnostics/health.ts'

export function registerDiagnostics(routes: Routes): void {
  registerHealth(routes)
}
