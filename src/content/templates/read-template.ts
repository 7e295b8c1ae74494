/**
 * Reads a template from the files in its folder: `template.yaml`, and the content in `content/`, which has the same
 * layout as an imported repository.
 */
import { required } from '../../kernel/defined.js'
import { ASSETS_FOLDER, INCLUDES_FOLDER } from '../known-files.js'
import { idOf } from '../identity.js'
import { findFrontMatter } from '../front-matter.js'
import { findReferences } from '../find-references.js'
import { resolveReference } from '../resolve-reference.js'
import { readStructure } from '../structure.js'
import { decodeText } from '../text.js'
import type { ContentStructure, DocumentEntry, PageEntry, TreeReader } from '../types.js'
import { inPlace } from '../work/direct.js'
import { readYaml } from '../yaml.js'
import { type Template, TemplateError, type TemplateLink, type TemplateRef } from './template.js'
import { isRecord } from '../../kernel/guards.js'

/** The file that describes a template. */
const DESCRIPTION_FILE = 'template.yaml'
const CONTENT = 'content/'

const MAX_LENGTHS = { title: 100, description: 500, emoji: 50 } as const
const REF_NAME = /^[A-Za-z0-9_-]{1,64}$/
const MAX_REFS = 20

/**
 * Reads a template. Throws a `TemplateError` that names the invalid file.
 * @param files the files of its folder, by path
 */
export async function readTemplate(id: string, files: ReadonlyMap<string, Uint8Array>): Promise<Template> {
  const fail = (file: string, what: string): never => {
    throw new TemplateError(`${id}/${file}: ${what}`)
  }
  const description =
    files.get(DESCRIPTION_FILE) ?? fail(DESCRIPTION_FILE, 'is missing. Write a title and a description into it.')
  const content = new Map<string, Uint8Array>()
  for (const [path, bytes] of files) {
    if (path.startsWith(CONTENT)) content.set(path.slice(CONTENT.length), bytes)
    else if (path !== DESCRIPTION_FILE) fail(path, `is not part of a template. Move it into ${CONTENT}, or remove it.`)
  }
  const structure = await readStructure(readerOf(content), idOf(new Map()), inPlace)
  const [diagnostic] = structure.diagnostics
  if (diagnostic)
    fail(
      `${CONTENT}${diagnostic.file ?? ''}${diagnostic.line === undefined ? '' : `:${diagnostic.line}`}`,
      diagnostic.message,
    )
  if (!structure.listed) fail(`${CONTENT}SUMMARY.md`, 'is missing. List the pages in it.')
  if (structure.pages.some(({ line }) => line === undefined))
    fail(`${CONTENT}SUMMARY.md`, 'does not list README.md. List all pages in it.')
  if (structure.config.root !== '')
    fail(`${CONTENT}.gitbook.yaml`, 'must not set a root: the pages are below content/.')
  const first = structure.pages[0]
  if (first?.type !== 'document') fail(`${CONTENT}SUMMARY.md`, 'must start with a page, not with a group or a link.')
  const described = describe(decodeText(description), (what) => fail(DESCRIPTION_FILE, what))
  for (const { name, file } of described.refs)
    if (!content.has(file))
      fail(
        DESCRIPTION_FILE,
        `contentRefs.${name} names ${file}, which is not below content/. Add the file, or correct its path.`,
      )
  const links = new Map<string, readonly TemplateLink[]>()
  for (const page of structure.byId.values()) {
    checkEntry(page, (what) => fail(`${CONTENT}SUMMARY.md:${page.line ?? 1}`, what))
    if (page.type === 'document')
      links.set(
        page.gitPath,
        linksOf(page, { content, structure }, (what) => fail(`${CONTENT}${page.gitPath}`, what)),
      )
  }
  for (const path of content.keys()) checkFile(path, structure, (what) => fail(`${CONTENT}${path}`, what))
  return { id, ...described, files: content, structure, links }
}

type Fail = (what: string) => never

function describe(text: string, fail: Fail): Pick<Template, 'title' | 'description' | 'emoji' | 'refs'> {
  const yaml = readYaml(text)
  if (!yaml.ok) return fail(`line ${yaml.position.line}: ${yaml.message}`)
  const value = isRecord(yaml.value) ? yaml.value : fail('must be a map with title and description.')
  const known = ['title', 'description', 'emoji', 'contentRefs']
  for (const key of Object.keys(value))
    if (!known.includes(key)) fail(`has the unknown key ${key}. Use only ${known.join(', ')}.`)
  const line = (key: keyof typeof MAX_LENGTHS): string => {
    const given = value[key]
    if (typeof given !== 'string' || given.trim() === '' || given.length > MAX_LENGTHS[key])
      return fail(`${key} must be a text of at most ${MAX_LENGTHS[key]} characters.`)
    return given.trim()
  }
  return {
    title: line('title'),
    description: line('description'),
    ...(value.emoji === undefined ? {} : { emoji: line('emoji') }),
    refs: refsOf(value.contentRefs, fail),
  }
}

function refsOf(value: unknown, fail: Fail): TemplateRef[] {
  if (value === undefined) return []
  const refs = Object.entries(
    isRecord(value) ? value : fail('contentRefs must be a map from names to {file, description}.'),
  )
  if (refs.length > MAX_REFS) fail(`has ${refs.length} contentRefs; at most ${MAX_REFS} are allowed.`)
  return refs.map(([name, ref]) => {
    if (!REF_NAME.test(name)) fail(`contentRefs.${name}: a name has 1 to 64 letters, digits, "-" and "_".`)
    const { file, description } = isRecord(ref) ? ref : {}
    if (typeof file !== 'string' || typeof description !== 'string' || description.length > MAX_LENGTHS.description)
      return fail(
        `contentRefs.${name} must have a file (its path below content/) and a description of at most ${MAX_LENGTHS.description} characters.`,
      )
    return { name, description, file }
  })
}

/** Rejects entries of the table of contents that content operations cannot add to a space. */
function checkEntry(entry: PageEntry, fail: Fail): void {
  if (entry.type === 'computed') fail(`${entry.title} is a computed page, which a template cannot contain.`)
  if (entry.type === 'link' && (entry.target !== undefined || !/^https?:\/\//i.test(entry.href)))
    fail(`${entry.title} must be a page, or a link to an https or http URL.`)
}

/** Rejects files that would not be used. */
function checkFile(path: string, structure: ContentStructure, fail: Fail): void {
  if (path.startsWith(INCLUDES_FOLDER)) fail('A template cannot contain reusable content. Write it into the pages.')
  if (path === structure.config.summary || structure.byGitPath.has(path) || path.startsWith(ASSETS_FOLDER)) return
  fail(`is neither a page nor below ${ASSETS_FOLDER}. Move it there, or remove it.`)
}

/** Returns the links from a page to other pages and files of the template. Throws if a target does not exist. */
function linksOf(
  page: DocumentEntry,
  { content, structure }: { content: ReadonlyMap<string, Uint8Array>; structure: ContentStructure },
  fail: Fail,
): TemplateLink[] {
  const text = decodeText(required(content.get(page.gitPath)))
  const bodyStart = findFrontMatter(text)?.bodyStart ?? 0
  if (/^cover(?:Dark)?:/m.test(text.slice(0, bodyStart)))
    fail('A page of a template cannot have a cover. Show the picture in its text.')
  return findReferences(text.slice(bodyStart)).flatMap(({ target, start, end }) => {
    const named = resolveReference(target, page.gitPath, structure, (path) => content.has(path))
    if (named.kind === 'broken') return fail(`has a link to ${target}, which does not exist. Correct it.`)
    if (named.kind !== 'page' && named.kind !== 'file') return []
    const to = named.kind === 'page' ? { page: named.gitPath } : { file: named.gitPath }
    return [
      {
        start: bodyStart + start,
        end: bodyStart + end,
        to,
        suffix: named.anchor === undefined ? '' : `#${named.anchor}`,
      },
    ]
  })
}

/** Presents files as a tree for the content readers. The object ID of a file is its path. */
function readerOf(files: ReadonlyMap<string, Uint8Array>): TreeReader {
  const entries = [...files.keys()].sort().map((path) => ({ path, mode: '100644', oid: path }))
  const below = (prefix: string) =>
    prefix === '' ? entries : entries.filter(({ path }) => path.startsWith(`${prefix}/`))
  return {
    entry: async (path) => entries.find((entry) => entry.path === path) ?? null,
    list: async (path) => (path === '' || below(path).length > 0 ? below(path) : null),
    walk: async (prefix = '') => below(prefix),
    read: async (oid) => required(files.get(oid)),
  }
}
