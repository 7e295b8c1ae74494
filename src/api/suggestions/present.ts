/** Turns suggestions into the JSON of responses. */
import type { LoadedChangeRequest } from '../../domain/context/loaded.js'
import type { OpenedDraft } from '../../domain/suggestions/send.js'
import { defined, required } from '../../kernel/defined.js'
import type { SiteSuggestionDoc } from '../../model/index.js'

const fieldsOf = ({ createdAt, space, page, title, path, before, after }: SiteSuggestionDoc) => ({
  createdAt,
  space,
  page: { id: page, title, path },
  before,
  after,
})

export const presentSuggestion = (suggestion: SiteSuggestionDoc & { id: string }) => ({
  object: 'site-suggestion' as const,
  id: suggestion.id,
  author: required(suggestion.author),
  ...fieldsOf(suggestion),
})

export const presentDraft = ({ suggestion, site, address, isDirect }: OpenedDraft) => ({
  object: 'suggestion-draft' as const,
  ...fieldsOf(suggestion),
  site: { title: site.title, ...defined({ address }) },
  direct: isDirect,
})

/** @param changeRequest null = the suggestion waits for a reviewer */
export const presentSent = (changeRequest: LoadedChangeRequest | null) => ({
  object: 'suggestion-sent' as const,
  ...(changeRequest
    ? {
        changeRequest: {
          id: changeRequest.doc.id,
          number: changeRequest.doc.number,
          space: changeRequest.doc.space,
        },
      }
    : {}),
})
