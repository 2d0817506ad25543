import type { Routes } from '../endpoint.ts'
import { registerCompare } from './diagnostics/compare.ts'
import { registerHealth } from './diagnostics/health.ts'
import { registerService } from './diagnostics/service.ts'
import { registerServices } from './diagnostics/services.ts'
import { registerSlowestEndpoints } from './diagnostics/slowest-endpoints.ts'
import { registerTrends } from './diagnostics/trends.ts'

export function registerDiagnostics(routes: Routes): void {
  registerHealth(routes)
  registerTrends(routes)
  registerServices(routes)
  registerService(routes)
  registerSlowestEndpoints(routes)
  registerCompare(routes)
}
