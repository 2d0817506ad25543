import { type SpanLiteral, spanColumnsOf } from '../../conformance/span-builder.ts'
import { createMemoryStore } from '../../memory/memory-store.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import type { TestStores } from './test-store.ts'

/** A store in a folder of its own, and a plain one that is given the same. */
export class StoreBesidePlain {
  readonly plain = createMemoryStore()
  readonly folder: string
  store: DuckDbStore
  private readonly stores: TestStores

  private constructor(stores: TestStores, folder: string, store: DuckDbStore) {
    this.stores = stores
    this.folder = folder
    this.store = store
  }

  static async open(stores: TestStores, folder?: string): Promise<StoreBesidePlain> {
    const own = folder ?? (await stores.newFolder())
    return new StoreBesidePlain(stores, own, await stores.open(own))
  }

  async write(gridId: string, spans: SpanLiteral[]): Promise<void> {
    await this.store.writeSpans(gridId, spanColumnsOf(spans))
    await this.plain.writeSpans(gridId, spanColumnsOf(spans))
  }

  /** `meanwhile` happens to the files of the closed store. */
  async reopen(meanwhile = async () => {}): Promise<void> {
    await this.store.close()
    await meanwhile()
    this.store = await this.stores.open(this.folder)
  }
}
