import { paginate } from '../../src/kernel/paging.js'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from '@sinclair/typebox'
import { binary, type Endpoints, endpointsOf } from '../../src/api/declaration.js'
import { createApi } from '../../src/api/pipeline/create-api.js'
import { createHttpServer, type ServerLimits } from '../../src/api/pipeline/http-server.js'
import { createMetrics } from '../../src/api/pipeline/metrics.js'
import type { ApiConfig, ApiOptions } from '../../src/api/pipeline/options.js'
import type { ByteCache } from '../../src/api/pipeline/renew-response.js'
import { created, redirect, stream } from '../../src/api/reply.js'
import { defineResolvers, resolversOf } from '../../src/api/resolver.js'
import { listOf, oneOf, pageQuery } from '../../src/model/index.js'
import { conflict, ServiceError } from '../../src/kernel/errors.js'
import { RawJson } from '../../src/kernel/raw-json.js'
import { createLog } from '../../src/kernel/log.js'

// A library API of shelves and books: resources two levels deep, with one endpoint per feature of the pipeline.

export interface Book {
  id: string
  title: string
}
export interface Shelf {
  id: string
  members: Record<string, number>
  books: Map<string, Book>
}
export interface Reader {
  name: string
}
export interface Library {
  shelves: Map<string, Shelf>
  handled: string[]
}

const ranks = { 'shelf:view': 1, 'shelf:edit': 2, 'shelf:admin': 3 } as const
type Permission = keyof typeof ranks
export const roles = ['reader', 'editor', 'admin'] as const

const resolver = resolversOf<Library, Reader>()
const resolvers = defineResolvers({
  shelfId: resolver()({
    as: 'shelf',
    description: 'ID of the shelf.',
    load: ({ app, actor, id }): Shelf | null => {
      const shelf = app.shelves.get(id)
      return shelf && (id === 'open' || shelf.members[actor?.name ?? '']) ? shelf : null
    },
  }),
  bookId: resolver<{ shelf: Shelf }>()({
    as: 'book',
    needs: ['shelf'],
    load: async ({ parents, id }): Promise<Book | null> => parents.shelf.books.get(id) ?? null,
  }),
  word: resolver()({ as: 'word', load: ({ id }): string => id }),
})

const endpoint = endpointsOf<{ app: Library; actor: Reader; permission: Permission; resolvers: typeof resolvers }>()

const BookSchema = Type.Object(
  { object: Type.Literal('book'), id: Type.String(), title: Type.String() },
  { $id: 'Book' },
)
const Anything = Type.Record(Type.String(), Type.Unknown())
const presentBook = (book: Book) => ({ object: 'book' as const, id: book.id, title: book.title })
const section = 'Library'

const listBooks = endpoint({
  method: 'GET',
  path: '/v1/shelves/{shelfId}/books',
  summary: 'List the books',
  section,
  needs: 'shelf:view',
  query: Type.Object({
    ...pageQuery,
    authors: Type.Optional(Type.Array(Type.String({ maxLength: 50 }))),
    order: oneOf(['asc', 'desc'], { default: 'desc' }),
    old: Type.Optional(Type.Boolean()),
  }),
  returns: listOf(BookSchema),
  handle: ({ shelf, query }) => {
    const page = paginate([...shelf.books.values()], query, (book) => [book.title, book.id], query.order)
    return { ...page, items: page.items.map(presentBook) }
  },
})
const echoQuery = endpoint({
  method: 'GET',
  path: '/v1/echo',
  summary: 'Echo the query',
  section,
  needs: 'public',
  query: Type.Object({
    ...pageQuery,
    authors: Type.Optional(Type.Array(Type.String())),
    old: Type.Optional(Type.Boolean()),
    order: oneOf(['asc', 'desc'], { default: 'desc' }),
  }),
  returns: Anything,
  handle: ({ query, actor }) => ({ query, actor: actor?.name ?? null }),
})
const Change = Type.Union([
  Type.Object({
    operation: Type.Literal('insert'),
    title: Type.String({ minLength: 1, maxLength: 20 }),
    at: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Type.Object({ operation: Type.Literal('delete'), page: Type.String() }),
])
const createBook = endpoint({
  method: 'POST',
  path: '/v1/shelves/{shelfId}/books',
  summary: 'Add a book',
  section,
  needs: 'shelf:edit',
  status: 201,
  body: Type.Object({
    title: Type.String({ minLength: 1, maxLength: 50 }),
    pages: Type.Optional(Type.Integer({ minimum: 1 })),
    kind: Type.Optional(oneOf(['novel', 'poem'])),
    level: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    note: Type.Optional(Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })])),
    changes: Type.Optional(Type.Array(Change, { maxItems: 5 })),
    born: Type.Optional(Type.String({ format: 'date-time' })),
  }),
  returns: BookSchema,
  fails: [409],
  handle: ({ shelf, body, app }) => {
    if (shelf.books.has(body.title)) throw conflict('There is a book of this title.', { paths: [body.title] })
    app.handled.push(body.title)
    const book = { id: body.title, title: body.title }
    shelf.books.set(book.id, book)
    return created(presentBook(book), `/v1/shelves/${shelf.id}/books/${book.id}`)
  },
})
const getBook = endpoint({
  method: 'GET',
  path: '/v1/shelves/{shelfId}/books/{bookId}',
  summary: 'Get a book',
  section,
  needs: 'shelf:view',
  returns: BookSchema,
  handle: ({ book }) => presentBook(book),
})
const deleteBook = endpoint({
  method: 'DELETE',
  path: '/v1/shelves/{shelfId}/books/{bookId}',
  summary: 'Remove a book',
  section,
  needs: 'shelf:admin',
  deletes: 'leaf',
  handle: ({ shelf, book }) => void shelf.books.delete(book.id),
})
const sortBooks = endpoint({
  method: 'PATCH',
  path: '/v1/shelves/{shelfId}/books/sort',
  summary: 'Sort the books',
  section,
  needs: 'shelf:edit',
  body: Type.Optional(Type.Object({ by: Type.String({ maxLength: 10 }) })),
  returns: Anything,
  handle: ({ body }) => ({ by: body?.by ?? null }),
})
const getPath = endpoint({
  method: 'GET',
  path: '/v1/shelves/{shelfId}/path/{rest*}',
  aliases: { rest: 'word' },
  summary: 'Echo a path',
  section,
  needs: 'shelf:view',
  returns: Anything,
  handle: ({ word, request }) => ({ word, baseUrl: request.baseUrl, ifMatch: request.ifMatch }),
})
const getLarge = endpoint({
  method: 'GET',
  path: '/v1/large',
  summary: 'A large response with a validator',
  section,
  needs: 'authenticated',
  returns: Anything,
  validator: ({ app }) => [String(app.shelves.size)],
  handle: ({ app }) => {
    app.handled.push('large')
    return { text: 'words '.repeat(1000) }
  },
})
export const HUGE_PIECES = Array.from({ length: 5 }, (_, n) =>
  Buffer.from(`${n === 0 ? '[' : ','}"${String(n).repeat(4 * 1024 * 1024)}"`),
)
const getHuge = endpoint({
  method: 'GET',
  path: '/v1/huge',
  summary: 'A response that is too large to be kept',
  section,
  needs: 'authenticated',
  returns: Anything,
  handle: () => ({ texts: new RawJson([...HUGE_PIECES, Buffer.from(']')]) }),
})
const FILE = Buffer.from('0123456789'.repeat(10))
const getFile = endpoint({
  method: 'GET',
  path: '/v1/file',
  summary: 'A file',
  section,
  needs: 'public',
  returns: binary('image/png'),
  handle: () =>
    stream({
      contentType: 'image/png',
      size: FILE.length,
      etag: 'oid',
      fileName: 'größe "日".png',
      open: (range) => (range ? FILE.subarray(range.start, range.end + 1) : FILE),
    }),
})
const fail = endpoint({
  method: 'POST',
  path: '/v1/fail/{word}',
  summary: 'Fail',
  section,
  needs: 'public',
  handle: ({ word }) => {
    if (word === 'crash') throw new Error('inner secret', { cause: new Error('https://user:hunter2@example.org') })
    if (word === 'redirect') return redirect('/v1')
    if (word === 'odd') throw 'a string'
    throw new ServiceError(word as 'locked', 'As you wished.')
  },
})
const lie = endpoint({
  method: 'GET',
  path: '/v1/lie',
  summary: 'Lie',
  section,
  deprecated: true,
  needs: 'public',
  returns: BookSchema,
  handle: () => ({ object: 'book' as const, id: 'x', title: 'shown-once-secret', extra: 1 }),
})

/** The maximum raw body of the library API, in bytes. */
export const MAX_RAW = 100_000
const measure = endpoint({
  method: 'POST',
  path: '/v1/measure',
  summary: 'Measure a body',
  section,
  needs: 'public',
  rawBodyLimitBytes: MAX_RAW,
  returns: Anything,
  fails: [401],
  handle: async ({ request }) => {
    let bytes = 0
    await request.receive((piece) => {
      bytes += piece.length
      if (piece.includes('stop')) throw new ServiceError('unauthenticated', 'Stopped.')
    })
    return { bytes }
  },
})

export { resolvers }

export const endpoints: Endpoints = {
  listBooks,
  echoQuery,
  createBook,
  getBook,
  deleteBook,
  sortBooks,
  getPath,
  getLarge,
  getHuge,
  getFile,
  fail,
  lie,
  measure,
}

/** The library API on its own port. */
export async function startFake(
  overrides: Partial<ApiConfig> = {},
  more: {
    byteCache?: ByteCache
    kept?: (app: Library) => ApiOptions<Library, Reader>['responseCache']
    ready?: () => string[]
    endpoints?: Endpoints
    limits?: Partial<ServerLimits>
  } = {},
) {
  const book = { id: 'emma', title: 'Emma' }
  const members = { reader: 1, editor: 2, admin: 3 }
  const app: Library = {
    shelves: new Map(['s1', 'open'].map((id) => [id, { id, members, books: new Map([[book.id, book]]) }])),
    handled: [],
  }
  const kept = more.kept?.(app)
  let origin = ''
  const lines: Record<string, unknown>[] = []
  const config: ApiConfig = {
    name: 'Library',
    version: '1.2.3',
    publicUrl: null,
    baseUrl: () => overrides.publicUrl ?? origin,
    trustProxy: 0,
    bodyLimitBytes: 10_000,
    bodiesLimitBytes: 10_000_000,
    responsesLimitBytes: 10_000_000,
    fileLimitBytes: 100_000,
    rateLimit: { perToken: 0, perAddress: 0 },
    corsOrigins: ['*'],
    metricsToken: null,
    checkResponses: true,
    ...overrides,
  }
  const api = await createApi<Library, Reader>({
    app,
    endpoints: more.endpoints ?? endpoints,
    resolvers,
    authenticate: (header) => {
      const name = /^Bearer (reader|editor|admin|stranger)$/.exec(header)?.[1]
      return name ? { name } : null
    },
    actorKey: (actor) => actor.name,
    can: (actor, permission, resources) =>
      ((resources.shelf as Shelf).members[actor?.name ?? ''] ?? 0) >= ranks[permission as Permission],
    config,
    log: createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } }),
    metrics: createMetrics(),
    ready: more.ready ?? (() => []),
    ...(more.byteCache ? { byteCache: more.byteCache } : {}),
    ...(kept ? { responseCache: kept } : {}),
  })
  const server: Server = createHttpServer(api, {
    maxConnections: 100,
    maxConnectionsPerAddress: 100,
    requestMs: 60_000,
    trustProxy: 0,
    ...more.limits,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = (server.address() as AddressInfo).port
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
  origin = `http://127.0.0.1:${port}`
  return { api, app, server, lines, port, url: origin, close }
}

export const bearer = (name: string) => ({ Authorization: `Bearer ${name}` })
