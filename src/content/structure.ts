/** Reads the structure of a revision: its pages, files, reusable content and variables. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { eachInSlices } from '../kernel/slices.js'
import { readConfig } from './config.js'
import { FileIndex } from './file-index.js'
import { fileEntry } from './files.js'
import { headingTitles } from './heading-titles.js'
import { buildInferredTree, nameOfReadme } from './inferred-tree.js'
import { ListedTree } from './listed-tree.js'
import { isMarkdown } from './paths.js'
import { findText } from './read-file.js'
import { ASSETS_FOLDER, INCLUDES_FOLDER, TAGS_FILE, VARIABLES_FILE } from './known-files.js'
import { readReusableContents } from './reusable.js'
import { readTags } from './tags.js'
import { readSymlinks } from './symlinks.js'
import { TreeBuilder } from './tree-builder.js'
import type { ContentStructure, FileEntry, IdOf, Summary, TreeReader } from './types.js'
import { readVariables } from './variables.js'
import { TextTooCostly, type TextWork } from './work/text-work.js'

/**
 * Reads the structure of a revision: its pages, from SUMMARY.md or (without one) from folders; its assets, reusable
 * content, variables and tag names. Only files below the effective root are used. Problems become diagnostics; it
 * throws only if the reader fails.
 */
export async function readStructure(reader: TreeReader, idOf: IdOf, work: TextWork): Promise<ContentStructure> {
  const { config, diagnostics, unlistedReadme } = await readConfig(reader, work)
  const entries = await reader.walk(config.root)
  const symlinks = await readSymlinks(reader, entries)
  const files = await FileIndex.of(config.root, entries, symlinks)
  await work.pause()
  const summaryText = await findText(reader, config.summary, diagnostics)
  const listed = summaryText !== null
  const builder = new TreeBuilder(idOf, listed ? config.summary : null, diagnostics)
  if (summaryText !== null) {
    const summary = await summaryOf(work, summaryText, config.summary)
    diagnostics.push(...summary.diagnostics.map((diagnostic): Diagnostic => ({ file: config.summary, ...diagnostic })))
    await work.pause()
    const { readme } = config
    const titleOfReadme = async (): Promise<string> =>
      unlistedReadme === 'heading'
        ? ((await headingTitles(reader, [readme], work)).get(readme) ?? nameOfReadme(readme))
        : 'Introduction'
    const hasReadme = unlistedReadme !== null && isMarkdown(readme) && files.has(readme)
    await new ListedTree(builder, config, files, diagnostics).build(summary.nodes, hasReadme ? titleOfReadme : null)
    await eachInSlices(files.markdown(config.summary), (path) => {
      if (builder.byGitPath.has(path)) return
      diagnostics.push({
        code: 'unlisted',
        message: `${path} is not listed in ${config.summary}, so it is not a page. List it there to publish it.`,
        file: path,
      })
    })
  } else
    await buildInferredTree(builder, config, files, await headingTitles(reader, files.markdown(config.summary), work))
  await work.pause()
  for (const list of [files.unfit, files.caseCollisions, files.withComponents()])
    await eachInSlices(list, (one) => void diagnostics.push(one))

  const below = config.root === '' ? '' : `${config.root}/`
  const assets: FileEntry[] = []
  const includes: string[] = []
  await eachInSlices(files.paths, (path) => {
    if (path.startsWith(below + ASSETS_FOLDER)) assets.push(fileEntry(path, config.root, idOf))
    if (path.startsWith(below + INCLUDES_FOLDER) && isMarkdown(path)) includes.push(path)
  })
  const reusableContents = await readReusableContents(includes, { reader, root: config.root, idOf, diagnostics, work })
  const variablesText = await findText(reader, below + VARIABLES_FILE, diagnostics)
  const variables = await readVariables(work, variablesText ?? '', below + VARIABLES_FILE)
  const tags = await readTags(work, (await findText(reader, below + TAGS_FILE, diagnostics)) ?? '', below + TAGS_FILE)
  diagnostics.push(...variables.diagnostics, ...tags.diagnostics)

  const { pages, byId, byGitPath, byPath } = builder
  const named = { variables: variables.variables, tags: tags.tags }
  return { config, listed, pages, assets, reusableContents, ...named, symlinks, diagnostics, byId, byGitPath, byPath }
}

/**
 * Returns the parsed table of contents. If it is too costly to parse, it has no entries and a diagnostic states the
 * reason.
 */
async function summaryOf(work: TextWork, text: string, file: string): Promise<Summary> {
  try {
    return await work.summary(text)
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return {
      nodes: [],
      diagnostics: [{ code: 'too-costly', message: `${file} is ignored. ${error.message}`, line: 1 }],
    }
  }
}
