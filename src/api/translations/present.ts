/** Turns translations into the JSON that clients get. */
import { mayNow } from '../../access/index.js'
import { SCHEMA_VERSION } from '../../content/blocks/parse.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedTranslation } from '../../domain/translations/translations.js'
import type { Instructions, TranslationDoc } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

/** Returns the path of a translation. */
export const translationPath = ({ organization, id }: Pick<TranslationDoc, 'organization' | 'id'>): string =>
  `/v1/orgs/${organization}/translations/${id}`

const NO_INSTRUCTIONS: Instructions = { object: 'document', data: { schemaVersion: SCHEMA_VERSION }, nodes: [] }

/** Returns a translation as JSON. */
export function presentTranslation(app: App, { doc, role }: LoadedTranslation) {
  const {
    id,
    status,
    problem,
    source,
    language,
    instructions,
    glossary,
    engine,
    automatic,
    result,
    notes,
    createdAt,
    updatedAt,
  } = doc
  const { runs, totalWords, totalPages, totalDuration, latestRunDuration, latestPages, latestWords } = doc
  return {
    object: 'translation' as const,
    id,
    status,
    ...defined({ error: problem }),
    source,
    language,
    instructions: instructions ?? NO_INSTRUCTIONS,
    ...defined({ glossary, engine, automatic }),
    result: { ...result, language },
    diagnostics: notes,
    createdAt,
    updatedAt,
    stats: {
      runs,
      totalWords,
      totalPages,
      totalDuration: totalDuration / 1000,
      latestRunDuration: latestRunDuration / 1000,
      latestPages,
      latestWords,
    },
    permissions: { view: true, edit: mayNow('translation:edit', { role, readOnly: app.readOnly }) },
    urls: { location: app.settings.publicUrl + translationPath(doc) },
  }
}
