/** Removes the query from an import's URL before it is shown, since it may be a signature. */

/** Returns the address without its query, which may contain a secret. */
export const shownUrl = (url: string): string => url.replace(/[?#].*$/s, '')

/** Removes the query of an import's URL, as given and as sent, from a text about the import. */
export function withoutQuery(url: string, text: string): string {
  const asGiven = /\?[^#]*/.exec(url)?.[0] ?? ''
  const asSent = URL.canParse(url) ? new URL(url).search : ''
  return [asGiven, asSent]
    .filter((query) => query.length > 1)
    .reduce((cleaned, query) => cleaned.replaceAll(query, ''), text)
}
