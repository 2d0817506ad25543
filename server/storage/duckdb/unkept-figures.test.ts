import { describeFigures } from '../conformance/describe-telemetry-store.ts'
import { duckDbBackend } from './testing/duckdb-backend.ts'

// Hours that have no room in memory are answered by the database.
describeFigures(duckDbBackend('duckdb without sums in memory', { keptSumsBytes: 0 }))
