import type { ApiKey } from '../control-store.ts'

const KEYS_MAX = 10_000

/** The keys used last, by the hash of their secret. Read on every request, emptied whenever a key changes. */
export class KeyCache {
  readonly #keys = new Map<string, ApiKey>()
  #generation = 0

  find(secretHash: string): ApiKey | undefined {
    const key = this.#keys.get(secretHash)
    if (key === undefined) return undefined
    this.#keys.delete(secretHash)
    this.#keys.set(secretHash, key)
    return key
  }

  /** Reads what is not here. A key that changes while it is being read is not kept. */
  async load(secretHash: string, read: () => Promise<ApiKey | undefined>): Promise<ApiKey | undefined> {
    const generation = this.#generation
    const key = await read()
    if (key === undefined || generation !== this.#generation) return key
    this.#keys.set(secretHash, key)
    const oldest = this.#keys.size > KEYS_MAX ? this.#keys.keys().next().value : undefined
    if (oldest !== undefined) this.#keys.delete(oldest)
    return key
  }

  clear(): void {
    this.#generation++
    this.#keys.clear()
  }
}
