/** How far a backup is, and in the end what it has done. */
export interface BackupProgress {
  /** Of all files together, as far as is known by now. */
  files: number
  bytes: number
  filesCopied: number
  bytesCopied: number
  /** Of files that an earlier backup had copied already. */
  bytesKept: number
}

export function noProgress(): BackupProgress {
  return { files: 0, bytes: 0, filesCopied: 0, bytesCopied: 0, bytesKept: 0 }
}
