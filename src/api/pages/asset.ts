// Serves the static files of pages: scripts, styles, pictures.
import { createHash } from 'node:crypto'
import type { CodedCache } from '../pipeline/compressed.js'
import { respondBytes } from '../pipeline/json-response.js'
import type { Page } from '../pipeline/page.js'
import { PAGE_POLICY } from '../pipeline/response-headers.js'

/** The properties of a file whose name contains the hash of its content. */
interface Immutable {
  /** Reads its Brotli form; null = it has none. */
  brotli: () => Promise<Buffer | null>
}

/**
 * Returns the page for a static file. The file is read on first use and then kept in memory.
 * @param immutable given for files that browsers may cache forever
 */
export function asset(
  operation: string,
  path: string,
  type: string,
  read: () => Promise<Buffer>,
  immutable?: Immutable,
): Page {
  // bound: the codings
  const inCodings: CodedCache = new Map()
  let loading: Promise<{ bytes: Buffer; tag: string }> | undefined
  const load = async () => {
    const [bytes, brotli] = await Promise.all([read(), immutable?.brotli() ?? null])
    if (brotli) inCodings.set('br', Promise.resolve(brotli))
    return { bytes, tag: createHash('sha1').update(bytes).digest('base64url') }
  }
  return {
    path,
    operation,
    serve: async (ctx) => {
      const { bytes, tag } = await (loading ??= load())
      if (!immutable) ctx.set('Content-Security-Policy', PAGE_POLICY)
      ctx.set('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache')
      // Another session gets the same file.
      if (immutable) ctx.set('Vary', 'Accept-Encoding')
      await respondBytes(ctx, { status: 200, type, body: bytes, tag, cache: inCodings })
    },
  }
}

/** Returns a reader of fixed content. */
export const fixed = (content: string) => async (): Promise<Buffer> => Buffer.from(content)
