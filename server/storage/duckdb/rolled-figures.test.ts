import { describeFigures } from '../conformance/describe-telemetry-store.ts'
import { duckDbBackend } from './testing/duckdb-backend.ts'

// Hours that are over are answered from what they are rolled up into.
describeFigures(
  duckDbBackend('duckdb with hours rolled up', { keptSumsBytes: 0 }, (store) => store.compact(Date.now())),
)
