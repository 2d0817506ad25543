import { readdirSync, readFileSync } from 'node:fs'

const MICROSECONDS_PER_TICK = 10_000
const BYTES_PER_MB = 1_000_000

/** What a process has used until now, from the kernel's own books (Linux). */
export interface ProcessUsage {
  cpuUs: number
  rssMb: number
  /** The most it ever was. */
  rssMaxMb: number
}

export function usageOf(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpuUs: cpuUsOf(`/proc/${pid}/stat`).cpuUs,
    rssMb: memoryMb(status, 'VmRSS'),
    rssMaxMb: memoryMb(status, 'VmHWM'),
  }
}

export interface ThreadUsage {
  id: number
  name: string
  cpuUs: number
}

/** The threads of a process, busiest first. */
export function threadsOf(pid: number): ThreadUsage[] {
  const threads = readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      return [{ id: Number(id), ...cpuUsOf(`/proc/${pid}/task/${id}/stat`) }]
    } catch {
      return [] // It ended meanwhile.
    }
  })
  return threads.sort((a, b) => b.cpuUs - a.cpuUs)
}

/** The name is in brackets and may itself contain spaces; user and system time are the 12th and 13th field behind it. */
function cpuUsOf(file: string): { name: string; cpuUs: number } {
  const text = readFileSync(file, 'utf8')
  const nameEnd = text.lastIndexOf(')')
  const fields = text.slice(nameEnd + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  return { name: text.slice(text.indexOf('(') + 1, nameEnd), cpuUs: ticks * MICROSECONDS_PER_TICK }
}

function memoryMb(status: string, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  return (Number(kilobytes) * 1024) / BYTES_PER_MB
}
