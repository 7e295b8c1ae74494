// Turns collections into the JSON that clients get.
import { presentCollectionPermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedCollection } from '../../domain/context/loaded.js'
import { orderKey } from '../../kernel/order.js'
import { defined } from '../../kernel/defined.js'

/** Returns a collection as JSON. */
export function presentCollection(app: App, { doc, role }: LoadedCollection) {
  const location = `${app.settings.publicUrl}/v1/collections/${doc.id}`
  return {
    object: 'collection' as const,
    id: doc.id,
    title: doc.title,
    ...defined({ description: doc.description }),
    organization: doc.organization,
    ...defined({ parent: doc.parent }),
    defaultLevel: doc.defaultLevel,
    position: orderKey(doc),
    urls: { location, app: location },
    permissions: presentCollectionPermissions({ role, readOnly: app.readOnly }),
  }
}
