import { forms, json } from './kinds/json.js'
import type { Kind } from './kinds/kind.js'
import { markdown } from './kinds/markdown.js'
import { saml, tokens } from './kinds/saml.js'
import { trees } from './kinds/trees.js'
import { toml } from './kinds/toml.js'
import { summaries, yaml } from './kinds/yaml.js'
import { samlResponse, visitorToken } from './sign-ins.js'
import type { TimedResponse, Station } from './station.js'

const KIB = 1024
const MIB = 1024 * KIB
/** Maximum JSON body and maximum file size of an import, as configured. */
const BODY_LIMIT = 10 * MIB
const BLOB_LIMIT = 90 * MIB

/** One kind of input with one size, sent in one way. */
export interface Attack {
  name: string
  bytes: number
  run(station: Station): Promise<TimedResponse[]>
}

type Way = (station: Station, text: string) => Promise<TimedResponse[]>

const SUMMARY = '# Table of contents\n\n* [Home](README.md)\n* [Hostile](hostile.md)\n'
const PAGE = '/content/page'

/** Makes the requests of a reader and of a writer for a space. */
async function readAndEdit(station: Station, url: string): Promise<TimedResponse[]> {
  const tree = await station.ask('pages', 'GET', `${url}/content/pages`)
  const ids = [...tree.body.matchAll(/"id":"([^"]+)"[^{}]*?"title":"(?:Hostile|Home)"/g)].map(
    (match) => match[1] as string,
  )
  const responses = [
    tree,
    await station.ask('revision', 'GET', `${url}/content`),
    await station.ask('files', 'GET', `${url}/content/files`),
  ]
  for (const id of ids.slice(0, 2)) {
    responses.push(await station.ask('document', 'GET', `${url}${PAGE}/${id}?format=document`))
    responses.push(await station.ask('document again', 'GET', `${url}${PAGE}/${id}?format=document`))
    responses.push(await station.ask('markdown', 'GET', `${url}${PAGE}/${id}`))
  }
  const page = ids.at(-1)
  if (page === undefined) return responses
  const edit = (change: object): string => JSON.stringify({ changes: [{ operation: 'update_page', page, ...change }] })
  responses.push(
    await station.ask('edit', 'POST', `${url}/content`, { body: edit({ title: 'New', description: 'New' }) }),
  )
  responses.push(await station.ask('move', 'POST', `${url}/content`, { body: edit({ slug: 'moved' }) }))
  responses.push(
    await station.ask('changes', 'GET', `${url}/revisions?limit=1`).then(async (list) => {
      const [, revision] = /"id":"([0-9a-f]{40})"/.exec(list.body) ?? []
      return revision === undefined ? list : station.ask('changes', 'GET', `${url}/revisions/${revision}/changes`)
    }),
  )
  return responses
}

/** Committed with plain Git, or imported, and then read and edited through the service. */
const committed =
  (files: (text: string) => Record<string, string | null>): Way =>
  async (station, text) => {
    const space = await station.space({ 'SUMMARY.md': SUMMARY, 'hostile.md': '# Hostile\n' })
    await space.commit(files(text))
    return readAndEdit(station, space.url)
  }

const write: Way = async (station, text) => {
  const { url } = await station.space({ 'SUMMARY.md': SUMMARY, 'hostile.md': '# Hostile\n' })
  const changes = (change: object): string => JSON.stringify({ changes: [change] })
  return [
    await station.ask('insert', 'POST', `${url}/content`, {
      body: changes({ operation: 'insert_page', title: 'New', document: { markdown: text } }),
    }),
    await station.ask('reusable', 'POST', `${url}/content`, {
      body: changes({ operation: 'upsert_reusable_content', title: 'R', document: { markdown: text } }),
    }),
    await station.ask('revision', 'GET', `${url}/content`),
  ]
}

const comment: Way = async (station, text) => {
  const { url } = await station.space({ 'SUMMARY.md': SUMMARY })
  const responses: TimedResponse[] = []
  for (let count = 0; count < 16; count++) {
    responses.push(
      await station.ask('comment', 'POST', `${url}/comments`, { body: JSON.stringify({ body: { markdown: text } }) }),
    )
    if (responses.at(-1)?.status !== 201) break
  }
  responses.push(
    await station.ask('list', 'GET', `${url}/comments?format=document`),
    await station.ask('list again', 'GET', `${url}/comments?format=document`),
  )
  return responses
}

/** Two sides that changed the same hostile page. */
const merge: Way = async (station, text) => {
  const space = await station.space({ 'SUMMARY.md': SUMMARY, 'hostile.md': `# Hostile\n\n${text}\n\nend\n` })
  const made = await station.ask('change request', 'POST', `${space.url}/change-requests`, {
    body: '{"subject":"Both"}',
  })
  const own = `${space.url}/change-requests/${(JSON.parse(made.body) as { number: number }).number}`
  await space.commit({ 'hostile.md': `# Theirs\n\n${text}\n\nend\n` }, 'refs/heads/change-requests/1')
  await space.commit({ 'hostile.md': `# Ours\n\n${text}\n\nend here\n` })
  return [
    await station.ask('conflicts', 'GET', `${own}/conflicts`),
    await station.ask('update', 'POST', `${own}/update`),
    await station.ask('changes', 'GET', `${own}/changes`),
    await station.ask('merge', 'POST', `${own}/merge`),
  ]
}

const tree: Way = async (station, text) => {
  const { url } = await station.space({ 'SUMMARY.md': SUMMARY, 'hostile.md': '# Hostile\n' })
  return [
    await station.ask('insert', 'POST', `${url}/content`, {
      body: `{"changes":[{"operation":"insert_page","title":"New","document":{"document":${text}}}]}`,
    }),
    await station.ask('comment', 'POST', `${url}/comments`, { body: `{"body":{"document":${text}}}` }),
    await station.ask('list', 'GET', `${url}/comments`),
  ]
}

const body: Way = async (station, text) => {
  const { url } = await station.space({})
  const open = { body: text, token: false }
  return [
    await station.ask('public accept', 'POST', '/v1/invites/accept', open),
    await station.ask('public sign-in', 'POST', '/v1/sign-in', open),
    await station.ask('public sign-in token', 'POST', '/v1/sign-in/token', open),
    await station.ask('without a token', 'POST', `${url}/content`, open),
    await station.ask('content', 'POST', `${url}/content`, { body: text }),
    await station.ask('space', 'PATCH', url, { body: text }),
    await station.ask('comment', 'POST', `${url}/comments`, { body: text }),
    await station.ask('organization', 'PATCH', `/v1/orgs/${station.server.organization}`, { body: text }),
  ]
}

const form: Way = async (station, text) => {
  const { url } = await station.space({})
  return [
    await station.ask('form', 'POST', `${url}/content`, { body: text, type: 'multipart/form-data; boundary=edge' }),
  ]
}

const frontMatter = (text: string): Record<string, string> => ({ 'hostile.md': `---\n${text}\n---\n# Hostile\n` })

/** The ways of sending input, with the kinds of each and the maximum size that it allows. */
const ways: { name: string; kinds: readonly Kind[]; limit: number; way: Way }[] = [
  { name: 'page', kinds: markdown, limit: BODY_LIMIT, way: committed((text) => ({ 'hostile.md': text })) },
  {
    name: 'README',
    kinds: markdown.filter((_, index) => index % 8 === 2),
    limit: BLOB_LIMIT,
    way: committed((text) => ({ 'README.md': text })),
  },
  { name: 'write', kinds: markdown, limit: BODY_LIMIT - 300 * KIB, way: write },
  { name: 'comment', kinds: markdown, limit: BODY_LIMIT - 300 * KIB, way: comment },
  { name: 'merge', kinds: markdown.filter((_, index) => index % 4 === 0), limit: BODY_LIMIT, way: merge },
  { name: 'front matter', kinds: yaml, limit: BODY_LIMIT, way: committed(frontMatter) },
  { name: '.gitbook.yaml', kinds: yaml, limit: BODY_LIMIT, way: committed((text) => ({ '.gitbook.yaml': text })) },
  {
    name: 'book.toml',
    kinds: toml,
    limit: BODY_LIMIT,
    way: committed((text) => ({ 'SUMMARY.md': null, 'book.toml': text })),
  },
  {
    name: 'book.json',
    kinds: json.filter((_, index) => index % 4 === 0),
    limit: BODY_LIMIT,
    way: committed((text) => ({ 'SUMMARY.md': null, 'book.json': text })),
  },
  { name: 'vars.yaml', kinds: yaml, limit: BODY_LIMIT, way: committed((text) => ({ '.gitbook/vars.yaml': text })) },
  {
    name: 'SUMMARY.md',
    kinds: summaries,
    limit: BODY_LIMIT,
    way: committed((text) => ({ 'SUMMARY.md': `${SUMMARY}${text}` })),
  },
  { name: 'tree', kinds: trees, limit: BODY_LIMIT - 10 * KIB, way: tree },
  { name: 'JSON', kinds: json, limit: BODY_LIMIT, way: body },
  { name: 'form', kinds: forms, limit: 25 * MIB, way: form },
  { name: 'SAML', kinds: saml, limit: 192 * KIB, way: samlResponse },
  { name: 'visitor', kinds: tokens, limit: 100 * KIB, way: visitorToken },
]

/** The number of different kinds of hostile input. */
export const kindsCount = new Set([markdown, yaml, toml, summaries, trees, json, forms, saml, tokens].flat()).size

export type Size = 'small' | 'large' | 'limit'

/** All attacks of the requested sizes: 100 KB, 1 MB, and the maximum that the way of sending allows. */
export function attacks(sizes: readonly Size[], wanted: (name: string) => boolean = () => true): Attack[] {
  const found: Attack[] = []
  for (const size of sizes)
    for (const { name: through, kinds, limit, way } of ways)
      for (const kind of kinds) {
        const bytes = size === 'small' ? 100 * KIB : size === 'large' ? MIB : limit
        const name = `${through}: ${kind.name}`
        if (wanted(name)) found.push({ name, bytes, run: (station) => way(station, kind.make(bytes)) })
      }
  return found
}
