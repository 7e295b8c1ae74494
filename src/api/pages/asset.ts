// Serves the static files of pages: scripts, styles, pictures.
import { createHash } from 'node:crypto'
import type { CodedCache } from '../pipeline/compressed.js'
import { respondBytes } from '../pipeline/json-response.js'
import type { Page } from '../pipeline/page.js'
import { PAGE_POLICY } from '../pipeline/response-headers.js'

/** Returns the page for a static file. The file is read on first use and then kept in memory. */
export function asset(
  operation: string,
  path: string,
  type: string,
  read: () => Promise<Buffer>,
  cacheControl = 'public, no-cache',
): Page {
  // bound: the codings
  const inCodings: CodedCache = new Map()
  let loading: Promise<{ bytes: Buffer; tag: string }> | undefined
  const load = async () => {
    const bytes = await read()
    return { bytes, tag: createHash('sha1').update(bytes).digest('base64url') }
  }
  return {
    path,
    operation,
    serve: async (ctx) => {
      const { bytes, tag } = await (loading ??= load())
      ctx.set('Content-Security-Policy', PAGE_POLICY)
      ctx.set('Cache-Control', cacheControl)
      await respondBytes(ctx, { status: 200, type, body: bytes, tag, cache: inCodings })
    },
  }
}

/** Returns a reader of fixed content. */
export const fixed = (content: string) => async (): Promise<Buffer> => Buffer.from(content)
