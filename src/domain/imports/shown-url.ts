/** What is told of an import's URL: never its query, which may be a signature. */

/** The address without its query, which may hold a secret. */
export const shownUrl = (url: string): string => url.replace(/[?#].*$/s, '')

/** Takes the query of an import's URL, as given or as it is sent, out of what is told about the import. */
export function withoutQuery(url: string, text: string): string {
  const asGiven = /\?[^#]*/.exec(url)?.[0] ?? ''
  const asSent = URL.canParse(url) ? new URL(url).search : ''
  return [asGiven, asSent].filter((query) => query.length > 1).reduce((told, query) => told.replaceAll(query, ''), text)
}
