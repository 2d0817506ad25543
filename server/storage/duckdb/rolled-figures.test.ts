import { describeAgreement } from '../conformance/agreement.ts'
import { duckDbBackend } from './testing/duckdb-backend.ts'

// Hours that are over are answered from what they are rolled up into.
const rolledUp = duckDbBackend('duckdb with hours rolled up', { keptSumsBytes: 0 }, (store) =>
  store.compact(Date.now()),
)
describeAgreement(rolledUp, [3])
