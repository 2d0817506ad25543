/** A passing fault: the same call may succeed later. The message says why and may be shown to the sender. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** A question ran into the time limit of the store. */
export class QueryTimeout extends Error {
  override readonly name = 'QueryTimeout'
}

/** The data on disk cannot be used by this program; the message is one line for the person who starts it. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable'
}
