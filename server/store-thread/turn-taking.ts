/** So long others wait at most, apart from the last task's own time. */
const TURN_MS = 8

/**
 * Runs tasks in their order, a few milliseconds' worth at a time. A thread that takes all that waits at its door at once hears
 * no timer and no answer of the database until it is through.
 */
export class TurnTaking {
  private tasks: (() => void)[] = []
  private isScheduled = false
  private readonly isAwaited: () => boolean

  /** While somebody waits for the thread, a turn is one task. */
  constructor(isAwaited: () => boolean) {
    this.isAwaited = isAwaited
  }

  push(task: () => void): void {
    this.tasks.push(task)
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => this.takeTurn())
  }

  private takeTurn(): void {
    this.isScheduled = false
    const untilMs = performance.now() + (this.isAwaited() ? 0 : TURN_MS)
    let done = 0
    do this.tasks[done++]?.()
    while (done < this.tasks.length && performance.now() < untilMs)
    this.tasks = this.tasks.slice(done)
    if (this.tasks.length > 0) this.schedule()
  }
}
