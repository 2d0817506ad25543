/** Tasks with the same key run one after another, in the order in which they came; others do not wait for them. */
export class Turns {
  private readonly last = new Map<string, Promise<void>>()

  async take<T>(key: string, task: () => Promise<T>): Promise<T> {
    const done = (this.last.get(key) ?? Promise.resolve()).then(task)
    const settled = done.then(
      () => undefined,
      () => undefined,
    )
    this.last.set(key, settled)
    try {
      return await done
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key)
    }
  }
}
