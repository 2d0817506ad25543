const OWN_NAME = /^[^./]+$|\.(internal|local|svc|lan|intranet)$/

/** A name of one's own network: without a domain, or with one that nobody else can reach. */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name)
}
