import { randomUUID } from 'node:crypto'
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from '@grpc/grpc-js'
import type { Grid } from '../control/control-store.ts'
import { DEFAULT_CONNECTION_LIMITS } from './connection-guard.ts'
import type { ConnectionSlots } from './connection-slots.ts'
import { type GrpcCallBytes, watchBytes } from './grpc-call.ts'
import { GRPC_METHODS } from './grpc-methods.ts'
import { grpcStatusOf } from './grpc-status.ts'
import type { Reservation } from './intake.ts'
import type { Receiver } from './receiver.ts'
import { Refusal } from './refusal.ts'

/** A call whose sender may send, and whose bytes are counted as they arrive. */
export interface AdmittedCall {
  readonly requestId: string
  readonly grid: Grid
  readonly bytes: GrpcCallBytes
  readonly reservation: Reservation
  /** The message is whole: from now on its handler releases the reservation. False where the call was refused meanwhile. */
  takeOver(): boolean
}

export interface GrpcAdmission {
  interceptor: ServerInterceptor
  /** The call that began with these metadata. */
  of(metadata: Metadata): AdmittedCall | undefined
}

/** Sees to it that nothing of a message is read before its sender is known, nor beyond what the intake has room for. */
export function createGrpcAdmission(receiver: Receiver, slots: ConnectionSlots): GrpcAdmission {
  const calls = new WeakMap<Metadata, AdmittedCall>()
  return {
    of: (metadata) => calls.get(metadata),
    interceptor: (method, call) => {
      const signal = GRPC_METHODS.get(method.path)
      if (signal !== undefined) receiver.intake.measures.requested(signal, 'grpc')
      return new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata(metadata, proceed) {
              admit(receiver, slots, call, metadata)
                .then((admitted) => {
                  if (admitted === undefined) return
                  calls.set(metadata, admitted)
                  proceed(metadata)
                })
                .catch((error) => receiver.logger.error({ err: error }, 'A gRPC call could not be begun'))
            },
          }),
      })
    },
  }
}

/** Undefined where the call was refused, which has then been answered. */
async function admit(
  receiver: Receiver,
  slots: ConnectionSlots,
  call: ServerInterceptingCallInterface,
  metadata: Metadata,
): Promise<AdmittedCall | undefined> {
  const requestId = randomUUID()
  let bytes: GrpcCallBytes | undefined
  const refuse = (error: unknown): void => {
    call.sendStatus(grpcStatusOf(receiver.refuse(error, requestId)))
    bytes?.end()
  }
  try {
    const peer = call.getConnectionInfo()
    bytes = watchBytes(call)
    bytes.onClose(slots.begin(peer))
    const grid = await receiver.admit(metadata.get('api-key')[0]?.toString(), peer.remoteAddress ?? 'unknown')
    const reservation = receiver.intake.enter(grid)
    return { requestId, grid, bytes, reservation, takeOver: countBytes(bytes, reservation, refuse) }
  } catch (error) {
    refuse(error)
    return undefined
  }
}

/** Returns what takes the call over. */
function countBytes(bytes: GrpcCallBytes, reservation: Reservation, refuse: (error: unknown) => void): () => boolean {
  let state: 'reading' | 'taken' | 'refused' = 'reading'
  const giveUp = (error: unknown): void => {
    if (state !== 'reading') return
    state = 'refused'
    refuse(error)
    reservation.release()
  }
  const timer = setTimeout(
    () => giveUp(new Refusal('cancelled', 'The message took too long to arrive.')),
    DEFAULT_CONNECTION_LIMITS.requestTimeoutMs,
  )
  timer.unref()
  bytes.onArrival((count) => {
    if (state !== 'reading') return
    try {
      reservation.add(count)
    } catch (error) {
      giveUp(error)
    }
  })
  bytes.onClose(() => {
    clearTimeout(timer)
    if (state !== 'taken') reservation.release()
  })
  return () => {
    clearTimeout(timer)
    if (state === 'refused') return false
    state = 'taken'
    return true
  }
}
