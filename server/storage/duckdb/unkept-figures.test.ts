import { describeAgreement } from '../conformance/agreement.ts'
import { duckDbBackend } from './testing/duckdb-backend.ts'

// Hours that have no room in memory are answered by the database.
describeAgreement(duckDbBackend('duckdb without sums in memory', { keptSumsBytes: 0 }), [2])
