/** The addresses of the app for browsers. Its routes are in `src/desk/app.tsx`. */
import type { App } from './app.js'

type Settings = Pick<App, 'settings'>

/** A version of the content of a space: main if empty, otherwise a revision, or a change request by its number. */
export type ContentVersion = { revision?: string; changeRequest?: never } | { revision?: never; changeRequest: number }

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

/** Returns the address of the suggestions for a site that wait for a reviewer. */
export const waitingSuggestionsAddress = ({ settings }: Settings, site: string): string =>
  `${settings.publicUrl}/sites/${site}/suggestions`

/**
 * Returns the address at which a member sends a suggestion from a site. The secret is after a `#`, which browsers do not
 * send.
 */
export const siteSuggestionAddress = ({ settings }: Settings, secret: string): string =>
  `${settings.publicUrl}/suggest#${secret}`

/** Returns the address of a change request. */
export const changeRequestAddress = (app: Settings, space: string, number: number): string =>
  contentAddress(app, space, { changeRequest: number })

/** Returns the address of the connection of a space. */
export const connectionAddress = (app: Settings, space: string): string => `${contentAddress(app, space)}/connection`

/** Returns the address of the content of a space. */
export function contentAddress(
  { settings }: Settings,
  space: string,
  { changeRequest, revision }: ContentVersion = {},
): string {
  const base = `${settings.publicUrl}/s/${space}`
  if (changeRequest !== undefined) return `${base}/c/${changeRequest}`
  return revision === undefined ? base : `${base}?at=${revision}`
}

/** Returns the address of a page. */
export const pageAddress = ({ settings }: Settings, space: string, page: string, version?: ContentVersion): string =>
  settings.publicUrl + pagePath(space, page, version)

/** Returns the path of a page in the app. */
export function pagePath(space: string, page: string, { changeRequest, revision }: ContentVersion = {}): string {
  const [base, id] = [`/s/${space}`, encodeURIComponent(page)]
  if (changeRequest !== undefined) return `${base}/c/${changeRequest}/p/${id}`
  return `${base}/p/${id}${revision === undefined ? '' : `?at=${revision}`}`
}

/** Returns the address of a comment, on its page if it has one. */
export function commentAddress(
  app: Settings,
  { space, page, comment, changeRequest }: { space: string; page?: string; comment: string; changeRequest?: number },
): string {
  const above =
    changeRequest !== undefined
      ? contentAddress(app, space, { changeRequest }) + (page === undefined ? '/discussion' : `?page=${page}`)
      : page === undefined
        ? contentAddress(app, space)
        : pageAddress(app, space, page)
  return `${above}#comment-${comment}`
}
