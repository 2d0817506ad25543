import { describeTelemetryStore } from '../conformance/describe-telemetry-store.ts'
import { duckDbBackend } from './testing/duckdb-backend.ts'

describeTelemetryStore(duckDbBackend('duckdb', {}))
