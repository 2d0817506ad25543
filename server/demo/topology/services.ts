import type { ServiceSpec } from './service-spec.ts'
import { accounts } from './services/accounts.ts'
import { cart } from './services/cart.ts'
import { catalog } from './services/catalog.ts'
import { checkout } from './services/checkout.ts'
import { inventory } from './services/inventory.ts'
import { notifications } from './services/notifications.ts'
import { payments } from './services/payments.ts'
import { recommendations } from './services/recommendations.ts'
import { shipping } from './services/shipping.ts'
import { storefront } from './services/storefront.ts'

/** The whole shop. Every request enters at the storefront. */
export const SERVICES: readonly ServiceSpec[] = [
  storefront,
  catalog,
  recommendations,
  cart,
  accounts,
  checkout,
  payments,
  inventory,
  shipping,
  notifications,
]

export const ENTRY_SERVICE = storefront.name
