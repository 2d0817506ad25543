/** Messages are taken after they were sent: few links wait for the span that they point at, and old ones in vain. */
const TARGETS_MAX = 65_536

/** A consumer, by its service and the open file that it came in, that links to a span which has not come yet. */
export interface WaitingLink {
  service: number
  file: number
}

export class WaitingLinks {
  private readonly byTarget = new Map<number, WaitingLink[]>()

  add(high: number, low: number, link: WaitingLink): void {
    const key = keyOf(high, low)
    const links = this.byTarget.get(key)
    if (links) {
      if (!links.some(({ service }) => service === link.service)) links.push(link)
      return
    }
    this.byTarget.set(key, [link])
    if (this.byTarget.size <= TARGETS_MAX) return
    const [oldest] = this.byTarget.keys()
    this.byTarget.delete(oldest as number)
  }

  take(high: number, low: number): WaitingLink[] {
    if (this.byTarget.size === 0) return []
    const key = keyOf(high, low)
    const links = this.byTarget.get(key)
    if (!links) return []
    this.byTarget.delete(key)
    return links
  }

  *services(): Generator<number> {
    for (const links of this.byTarget.values()) for (const { service } of links) yield service
  }
}

/** As many bits of a fingerprint as a number holds. */
function keyOf(high: number, low: number): number {
  return (high >>> 0) * 2_097_152 + (low >>> 11)
}
