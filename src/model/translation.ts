/** Translations: a space that is kept in step with another one, in another language. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, Language, listOf, nullable, oneOf, permissionsOf, Timestamp } from './common.js'

const translationStates = ['pending', 'running', 'completed', 'failed'] as const
const problemCodes = [
  'engine',
  'budget',
  'forbidden',
  'locked',
  'source-gone',
  'result-gone',
  'conflict',
  'too-large',
  'internal',
] as const
export type TranslationProblemCode = (typeof problemCodes)[number]
const engines = ['deepl', 'libretranslate', 'openai', 'apertium'] as const

/** Why the last run failed, as a sentence that says what to do. */
export interface TranslationProblem {
  code: TranslationProblemCode
  message: string
}

/** What stays in the source language, and why. */
export interface TranslationNote {
  path: string
  reason: string
}

/** What one run did. */
export interface RunResult {
  /** The head that it left. */
  revision?: string
  changeRequest?: string
  pages: number
  words: number
  notes: TranslationNote[]
}

/** A translation, as stored. */
export interface TranslationDoc {
  id: string
  organization: string
  source: { space: string; language: Language }
  language: Language
  result: { space: string; revision: string; changeRequest?: string }
  /** The first commit of the result: what it holds is the service's own. */
  initial: string
  status: (typeof translationStates)[number]
  problem?: TranslationProblem
  notes: TranslationNote[]
  instructions?: Instructions
  glossary?: { source: string; target: string }[]
  engine?: (typeof engines)[number]
  automatic?: { charactersPerMonth: number }
  /** User who switched automatic runs on. */
  automaticBy?: string
  /** Characters that runs sent in a month (`2026-05`, UTC). */
  spent?: { month: string; characters: number }
  runs: number
  totalWords: number
  totalPages: number
  /** Milliseconds. */
  totalDuration: number
  /** Milliseconds. */
  latestRunDuration: number
  latestPages: number
  latestWords: number
  /** The head of the source that the last run looked at, whatever came of it. */
  seen?: string
  /** When the run began that is under way, and what it has committed: a run after a crash ends with that. */
  startedAt?: string
  committed?: RunResult & { commit: string }
  createdBy: string
  createdAt: string
  updatedAt: string
}

export const translations = table<TranslationDoc>()({
  name: 'translations',
  indexes: {
    organization: (one) => one.organization,
    source: (one) => one.source.space,
    result: (one) => one.result.space,
  },
  owner: (one) => one.organization,
})

const InstructionBlocks = Type.Array(Type.Object({ object: Type.Literal('block') }, { additionalProperties: true }), {
  maxItems: 500,
})

export const Instructions = Type.Object(
  {
    object: Type.Literal('document'),
    data: Type.Object({ schemaVersion: Type.Number() }, { additionalProperties: true }),
    nodes: InstructionBlocks,
  },
  {
    $id: 'TranslationInstructions',
    description: 'Guidance for engines that accept instructions, as a block tree; empty if none was given.',
  },
)
export type Instructions = Static<typeof Instructions>

const InstructionsInput = Type.Object(
  {
    object: Type.Literal('document'),
    data: Type.Optional(
      Type.Object(
        { schemaVersion: Type.Optional(Type.Number({ description: 'Default: the latest.' })) },
        { additionalProperties: true },
      ),
    ),
    nodes: InstructionBlocks,
  },
  {
    $id: 'TranslationInstructionsInput',
    description:
      'Guidance for engines that accept instructions, as a block tree. Only its text counts, at most 10,000 characters.',
  },
)
export type InstructionsInput = Static<typeof InstructionsInput>

const term = Type.String({ minLength: 1, maxLength: 200 })
const Glossary = Type.Array(Type.Object({ source: term, target: term }, closed), {
  maxItems: 500,
  description: 'Terms and how they are translated, for engines that take a glossary.',
})
const Engine = oneOf(engines, { description: 'Absent = the first engine of the server that knows the languages.' })
const Automatic = Type.Object(
  {
    charactersPerMonth: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'What automatic runs may send to the engine in a month (UTC), in characters.',
    }),
  },
  { ...closed, description: 'Runs whenever the main content of the source changes.' },
)

export const CreateTranslation = Type.Object(
  {
    language: Language,
    source: Type.Object(
      { space: Id, language: Type.Optional(Language) },
      { ...closed, description: 'The space, and its language (default: that of the space, else `en`).' },
    ),
    instructions: Type.Optional(InstructionsInput),
    glossary: Type.Optional(Glossary),
    engine: Type.Optional(Engine),
    automatic: Type.Optional(Automatic),
  },
  { ...closed, $id: 'CreateTranslation' },
)
export type CreateTranslation = Static<typeof CreateTranslation>

export const UpdateTranslation = Type.Object(
  {
    instructions: Type.Optional(nullable(InstructionsInput)),
    glossary: Type.Optional(nullable(Glossary)),
    engine: Type.Optional(nullable(Engine)),
    automatic: Type.Optional(nullable(Automatic)),
  },
  { ...closed, $id: 'UpdateTranslation', description: 'Members that are left out keep their value; null removes one.' },
)
export type UpdateTranslation = Static<typeof UpdateTranslation>

const number = (description?: string) =>
  Type.Number({ minimum: 0, ...(description === undefined ? {} : { description }) })

export const Translation = Type.Object(
  {
    object: Type.Literal('translation'),
    id: Id,
    status: oneOf(translationStates),
    error: Type.Optional(
      Type.Object(
        {
          code: oneOf(problemCodes),
          message: Type.String({ description: 'Why the last run failed, and what to do.' }),
        },
        { description: 'If the last run failed.' },
      ),
    ),
    source: Type.Object({ space: Id, language: Language }),
    language: Language,
    instructions: Instructions,
    glossary: Type.Optional(Glossary),
    engine: Type.Optional(Engine),
    automatic: Type.Optional(Automatic),
    result: Type.Object({
      space: Id,
      language: Language,
      revision: Type.String({ description: 'The head that the last run left.' }),
      changeRequest: Type.Optional(
        Type.String({
          description:
            'The change request in which the result of the last run waits, if merges into the space must meet rules.',
        }),
      ),
    }),
    diagnostics: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() }), {
      description: 'Pages and blocks that the last run left in the source language; at most 50.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    stats: Type.Object({
      runs: number('Runs that were completed.'),
      totalWords: number(),
      totalPages: number(),
      totalDuration: number('Duration of all runs in seconds.'),
      latestRunDuration: number('Duration of the latest run in seconds.'),
      latestPages: number('Pages that the latest run changed.'),
      latestWords: number('Words of the source that the latest run translated.'),
    }),
    permissions: permissionsOf(['view', 'edit'] as const),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'Translation' },
)

export const TranslationList = listOf(Translation, { $id: 'TranslationList' })
