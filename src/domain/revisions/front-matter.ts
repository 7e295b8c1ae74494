/** Reads and changes the front matter of an unsaved text, without a repository. */
import { ChangeError } from '../../content/edit/change-error.js'
import { membersOf } from '../../content/edit/operations/page-text.js'
import { readSource } from '../../content/page-source.js'
import type { PageAttributes } from '../../content/types.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import { defined } from '../../kernel/defined.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import type { FrontMatterInput } from '../../model/index.js'
import type { PageMembers } from '../../model/content-changes.js'
import type { App } from '../context/app.js'

const FILE = 'the page'

/** A front matter with the attributes for a form. */
interface ReadFrontMatter {
  markdown: string
  attributes: Omit<PageAttributes, 'cover' | 'layout' | 'variables' | 'metaLinks' | 'codePaths'> & { cover?: string }
  diagnostics: readonly Diagnostic[]
}

/**
 * Sets keys of a front matter and reads the result. All other lines keep their bytes. Throws 400 if it is not valid YAML,
 * and 413 if it is too costly.
 */
export async function changeFrontMatter(
  app: App,
  space: string,
  { markdown, set }: FrontMatterInput,
): Promise<ReadFrontMatter> {
  const work = app.texts.for(space)
  try {
    const text = set ? await withKeys(work, markdown, set) : markdown
    const { attributes, diagnostics } = await readSource(work, text, FILE)
    const { title, description, icon, emoji, condition, hidden, noIndex, noRobotsIndex, tags, cover } = attributes
    return {
      markdown: text,
      attributes: defined({
        title,
        description,
        icon,
        emoji,
        condition,
        hidden,
        noIndex,
        noRobotsIndex,
        tags,
        cover: cover?.ref,
      }),
      diagnostics,
    }
  } catch (error) {
    if (error instanceof TextTooCostly)
      throw new ServiceError('too-large', `The front matter is too large. ${error.message}`)
    throw error
  }
}

async function withKeys(
  work: ReturnType<App['texts']['for']>,
  markdown: string,
  set: NonNullable<FrontMatterInput['set']>,
): Promise<string> {
  const { cover, tags, ...members } = set
  // A cover that is a map keeps its picture for dark pages.
  const coverKey = /^cover:[ \t]*(?:#.*)?$/m.test(markdown) ? 'cover.light' : 'cover'
  const changes = {
    ...checkedMembers(members),
    ...(cover === undefined ? {} : { [cover === null ? 'cover' : coverKey]: cover }),
    ...(tags === undefined ? {} : { tags: tags?.length === 0 ? null : tags }),
  }
  const outcome = await work.setMembers(markdown, changes)
  if ('done' in outcome) return outcome.done
  throw badRequest(`The front matter cannot be changed: ${outcome.refused}`)
}

function checkedMembers(members: PageMembers): Readonly<Record<string, unknown>> {
  try {
    return membersOf(members) ?? {}
  } catch (error) {
    throw error instanceof ChangeError ? badRequest(error.message) : error
  }
}
