/** Lets tasks through while it is open. Whoever closes it waits for those that are on their way. */
export class Gate {
  private inside = 0
  private closed: Promise<void> | undefined
  private onOpen: (() => void) | undefined
  private onEmpty: (() => void) | undefined
  private ended = false

  async pass<T>(task: () => Promise<T>): Promise<T> {
    while (this.closed) await this.closed
    this.inside++
    try {
      return await task()
    } finally {
      if (--this.inside === 0) this.onEmpty?.()
    }
  }

  /** Resolves once nobody is on their way any more. One may close it at a time. */
  async close(): Promise<void> {
    if (this.ended) return
    this.closed = new Promise((resolve) => {
      this.onOpen = resolve
    })
    if (this.inside > 0) await new Promise<void>((resolve) => (this.onEmpty = resolve))
    this.onEmpty = undefined
  }

  open(): void {
    this.closed = undefined
    this.onOpen?.()
  }

  /** Opens it for good. */
  end(): void {
    this.ended = true
    this.open()
  }
}
