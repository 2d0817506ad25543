import { LOCAL_ROOT, REQUEST } from '../schema.ts'

const ROLES = REQUEST | LOCAL_ROOT

/** Of a span's roles, those that make it a request. */
export const ROLE = `role & ${ROLES}`
export const IS_REQUEST = `role & ${ROLES} <> 0`
