import { describeTelemetryStore } from '../conformance/describe-telemetry-store.ts'
import { createMemoryStore } from './memory-store.ts'

describeTelemetryStore({ name: 'memory', open: async () => ({ store: createMemoryStore() }) })
