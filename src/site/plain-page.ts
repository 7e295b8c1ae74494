/** Pages without the look of a site: unknown addresses, failures of the server, and sign-in. They name neither the site nor the cause. */

const PAGES = {
  missing: ['Page not found', 'No page has this address. It may have moved, or the address has a typo.'],
  'not-signed-in': ['You could not be signed in', 'The sign-in of this site sent an invalid answer.', 'Try again'],
  'signed-out': ['You are signed out', 'Close this page, or sign in again.', 'Sign in'],
  'too-many': ['Too many requests', 'Wait a minute, then load the page again.'],
  unavailable: ['Not available at the moment', 'Load the page again in a few seconds.'],
  failed: ['This page cannot be shown', 'The server failed. Load the page again later.'],
  'bad-range': ['This part of the file does not exist', 'Load the whole file.'],
  'no-method': ['This address can only be read', 'Use the method GET or HEAD.'],
} as const satisfies Record<string, readonly [string, string, string?]>

/** Returns the HTML of a page. */
export function plainPage(name: keyof typeof PAGES, link?: { href: string }): string {
  const [title, text, action] = PAGES[name] as readonly [string, string, string?]
  const way = link && action ? `<p><a href="${escaped(link.href)}">${action}</a>` : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${title}</title><h1>${title}</h1><p>${text}</p>${way}`
}

const escaped = (text: string): string => text.replace(/[&"<>]/g, (char) => `&#${char.charCodeAt(0)};`)

/** Returns the page for a status of a failure. */
export const failurePage = (status: number): string =>
  plainPage(
    status === 429
      ? 'too-many'
      : status === 503 || status === 507
        ? 'unavailable'
        : status === 416
          ? 'bad-range'
          : 'failed',
  )
