/** The addresses of the app for browsers. Its routes are in `src/desk/app.tsx`. */
import type { App } from './app.js'

type Settings = Pick<App, 'settings'>

/** A version of the content of a space: main if empty, otherwise a revision, or a change request by its number. */
export type ContentVersion =
  | { revision?: never; changeRequest?: never }
  | { revision: string }
  | { changeRequest: number }

/** Returns the address of an organization. */
export const organizationAddress = ({ settings }: Settings, id: string): string => `${settings.publicUrl}/o/${id}`

/** Returns the address of an OpenAPI specification. */
export const specAddress = (app: Settings, organization: string, slug: string): string =>
  `${organizationAddress(app, organization)}/settings/openapi?spec=${encodeURIComponent(slug)}`

/** Returns the address of a collection. */
export const collectionAddress = ({ settings }: Settings, id: string): string =>
  `${settings.publicUrl}/collections/${id}`

/** Returns the address of a site. */
export const siteAddress = ({ settings }: Settings, id: string): string => `${settings.publicUrl}/sites/${id}/structure`

/** Returns the address of a change request. */
export const changeRequestAddress = (app: Settings, space: string, number: number): string =>
  contentAddress(app, space, { changeRequest: number })

/** Returns the address of the connection of a space. */
export const connectionAddress = (app: Settings, space: string): string => `${contentAddress(app, space)}/connection`

/** Returns the address of the content of a space. */
export function contentAddress({ settings }: Settings, space: string, version: ContentVersion = {}): string {
  const base = `${settings.publicUrl}/s/${space}`
  if ('changeRequest' in version && version.changeRequest !== undefined) return `${base}/c/${version.changeRequest}`
  return 'revision' in version && version.revision !== undefined ? `${base}?at=${version.revision}` : base
}

/** Returns the address of a page. */
export function pageAddress({ settings }: Settings, space: string, page: string, version: ContentVersion = {}): string {
  const [base, id] = [`${settings.publicUrl}/s/${space}`, encodeURIComponent(page)]
  if ('changeRequest' in version && version.changeRequest !== undefined)
    return `${base}/c/${version.changeRequest}?page=${id}`
  const at = 'revision' in version && version.revision !== undefined ? `?at=${version.revision}` : ''
  return `${base}/p/${id}${at}`
}

/** Returns the address of a comment, on its page if it has one. */
export function commentAddress(
  app: Settings,
  { space, page, comment, changeRequest }: { space: string; page?: string; comment: string; changeRequest?: number },
): string {
  const version = changeRequest === undefined ? {} : { changeRequest }
  const above =
    page !== undefined
      ? pageAddress(app, space, page, version)
      : changeRequest === undefined
        ? contentAddress(app, space)
        : `${contentAddress(app, space, version)}/discussion`
  return `${above}#comment-${comment}`
}
