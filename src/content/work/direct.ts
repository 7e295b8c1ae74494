/** Runs the text tasks on the caller's thread. */
import { parseDocument } from '../blocks/parse.js'
import { commentTargetsOf } from '../blocks/comment-targets.js'
import { followBlock } from '../compare/follow.js'
import { pageLimit, tooLong } from '../blocks/weight.js'
import { editFile, edited, print, setMembers } from '../edit/edit-file.js'
import { keepLineEnds } from '../edit/line-ends.js'
import { rewriteReferences } from '../edit/rewrite-references.js'
import { mergeChunks } from '../edit/merge-chunks.js'
import { mergePage, pageChunks } from '../edit/merge-page.js'
import { mergeYaml } from '../edit/merge-yaml.js'
import { changeSummary } from '../edit/summary-change.js'
import { setYamlKeys } from '../edit/yaml.js'
import { readPage } from '../front-matter.js'
import { codeSpans, findReferences } from '../find-references.js'
import { containsAny } from '../mentions.js'
import { mergeSummary } from '../summary/merge.js'
import { parseSummary } from '../summary/parse.js'
import { readBounded } from '../read-file.js'
import { decodeText, encodeText, encodingOf, MAX_TEXT_BYTES } from '../text.js'
import { titleOf } from '../title.js'
import { pageNeeds, weavePage } from '../translation/weave.js'
import { readToml } from '../toml.js'
import { readYaml } from '../yaml.js'
import type { TreeReader } from '../types.js'
import type { TextTasks, TextWork } from './text-work.js'

/** The task functions. */
export const direct: TextTasks = {
  page(text, file) {
    const { markdown: _, ...page } = readPage(text, file)
    return page
  },
  yaml: readYaml,
  toml: readToml,
  summary: parseSummary,
  references: (markdown) => findReferences(markdown),
  codeSpans,
  commentTargets: (markdown) => commentTargetsOf(parseDocument(markdown)),
  followBlock: (before, after, node) => followBlock(parseDocument(before), parseDocument(after), node),
  limit: pageLimit,
  print,
  setMembers,
  changeSummary,
  setYaml: (text, changes, within = []) =>
    edited(() =>
      setYamlKeys(
        text,
        Object.entries(changes).map(([key, value]) => [[...within, key], value ?? undefined] as const),
      ),
    ),
  heading: (text) => titleOf(text) || null,
  editFile,
  retarget(file, bodyStart, targets) {
    const text = decodeText(file)
    const moved = targets.map((one) => ({ ...one, start: bodyStart + one.start, end: bodyStart + one.end }))
    return { done: encodeText(rewriteReferences(text, moved), encodingOf(file)) }
  },
  mentions: (text, tokens) => containsAny(text, new Set(tokens)),
  keepLineEnds,
  largePage(file, path) {
    const { bodyStart: _, markdown, ...page } = readPage(decodeText(file), path)
    return { ...page, limit: pageLimit(markdown) ?? tooLong(file.length) }
  },
  mergeSummary(base, ours, theirs, names) {
    const nameTarget = (side: keyof typeof names) => (href: string) =>
      Object.hasOwn(names[side], href) ? (names[side][href] ?? null) : null
    return mergeSummary(base, ours, theirs, {
      base: nameTarget('base'),
      ours: nameTarget('ours'),
      theirs: nameTarget('theirs'),
    })
  },
  mergePage,
  mergeYaml,
  mergeChunks: (base, ours, theirs, { isPage }) =>
    isPage ? pageChunks(base, ours, theirs) : mergeChunks(base, ours, theirs),
  pageNeeds,
  weavePage,
}

/** A `TextWork` without threads or limits, for tools and tests with trusted input. */
export const inPlace: TextWork = Object.fromEntries(
  Object.entries({
    ...direct,
    pause: () => undefined,
    headings: readHeadings,
    large: (work: () => Promise<unknown>) => work(),
  }).map(([name, task]) => [name, async (...args: unknown[]) => (task as (...all: unknown[]) => unknown)(...args)]),
) as unknown as TextWork

async function readHeadings(files: Pick<TreeReader, 'read'>, oids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const oid of oids) {
    const bytes = await readBounded(files, oid, MAX_TEXT_BYTES)
    found.set(oid, bytes === null ? '' : titleOf(decodeText(bytes)))
  }
  return found
}
