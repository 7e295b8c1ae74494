/**
 * Turns locations in content into JSON that contains the objects themselves. Each object is built once per response.
 */
import { idOf } from '../../content/identity.js'
import { fileEntry } from '../../content/files.js'
import type { FileEntry, PageEntry } from '../../content/types.js'
import type { Actor } from '../../domain/context/actor.js'
import type { ContentVersion } from '../../domain/context/app-addresses.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedChangeRequest } from '../../domain/context/loaded.js'
import { MAIN } from '../../domain/context/refs.js'
import { overridesAt } from '../../domain/revisions/identity.js'
import { loadFiles } from '../../domain/revisions/pages.js'
import type { OpenRevision } from '../../domain/revisions/revisions.js'
import { findOrganization } from '../../domain/roles/access.js'
import { notFound } from '../../kernel/errors.js'
import { RawJson, toJson } from '../../kernel/raw-json.js'
import { presentChangeRequest } from '../change-requests/present.js'
import { presentFile, presentReusableContent, presentRevisionAlone } from '../content/present.js'
import { pageContext } from '../content/present-page.js'
import { presentPage } from '../content/present-tree.js'
import { presentOrganization } from '../organizations/present.js'
import { presentSpace } from '../spaces/present.js'
import { defined, required } from '../../kernel/defined.js'

/** The options of an object's own GET without a query. */
const usual = { metadata: true, computed: true }

/** The part of a revision that a location refers to. */
export type LinkLocation =
  | { kind: 'page'; page: PageEntry; anchor?: string }
  | { kind: 'file'; gitPath: string }
  | { kind: 'reusable-content'; id: string }
  | { kind: 'space' }

/** Builds the locations of one response. */
export class Locations {
  readonly #made = new Map<string, Promise<RawJson>>()
  readonly #contexts = new Map<string, ReturnType<typeof pageContext>>()

  /** @param home the revision that is read, and its change request; other spaces use their main revision */
  constructor(
    private readonly app: App,
    private readonly actor: Actor,
    private readonly home: { revision: OpenRevision; changeRequest: LoadedChangeRequest | null },
  ) {}

  async present(revision: OpenRevision, shown: LinkLocation): Promise<RawJson> {
    const { id, organization } = revision.space.doc
    return json({
      kind: shown.kind === 'page' && shown.anchor !== undefined ? 'anchor' : shown.kind,
      organization: await this.#once(`organization:${organization}`, () => this.#organization(organization)),
      space: await this.#once(`space:${id}`, () => presentSpace(this.app, revision.space)),
      versionContext: await this.#once(`version:${id}`, () => this.#version(revision)),
      ...(await this.#object(revision, shown)),
    })
  }

  /** Returns a specification of the organization by its slug. */
  async specification({ space }: OpenRevision, spec: string): Promise<RawJson> {
    const { organization } = space.doc
    return json({
      kind: 'openapi',
      organization: await this.#once(`organization:${organization}`, () => this.#organization(organization)),
      spec,
    })
  }

  async #object(revision: OpenRevision, shown: LinkLocation): Promise<object> {
    const { id } = revision.space.doc
    if (shown.kind === 'page') {
      const page = await this.#once(`page:${id}:${shown.page.id}`, async () =>
        presentPage(await this.#context(revision), shown.page, 'markdown'),
      )
      return { page, ...defined({ anchor: shown.anchor }) }
    }
    if (shown.kind === 'file')
      return { file: await this.#once(`file:${id}:${shown.gitPath}`, () => this.#file(revision, shown.gitPath)) }
    if (shown.kind === 'space') return {}
    const options = { ...usual, evaluated: false, format: 'markdown' as const }
    return {
      reusableContent: await this.#once(`reusable:${id}:${shown.id}`, () =>
        presentReusableContent(this.app, revision, shown.id, options),
      ),
    }
  }

  /** Other spaces use their main content, so each space appears in a single version. */
  async #version(revision: OpenRevision): Promise<object> {
    const { changeRequest } = this.home
    if (revision.space.doc.id !== this.home.revision.space.doc.id || changeRequest === null)
      return {
        type: 'revision',
        revision: await presentRevisionAlone(this.app, revision, usual, this.#addressed(revision)),
      }
    return {
      type: 'changeRequest',
      changeRequest: await presentChangeRequest(this.app, this.actor, revision.space, changeRequest),
    }
  }

  /** Returns the version that addresses contain. */
  #addressed(revision: OpenRevision): ContentVersion {
    const { changeRequest } = this.home
    if (changeRequest !== null && revision.space.doc.id === this.home.revision.space.doc.id)
      return { changeRequest: changeRequest.doc.number }
    const { commit } = revision.snapshot
    return revision.repo.refs.head(MAIN) === commit ? {} : { revision: commit }
  }

  async #organization(id: string): Promise<object> {
    return presentOrganization(this.app, required(await findOrganization(this.app, this.actor, id)))
  }

  async #file(revision: OpenRevision, gitPath: string): Promise<object> {
    const ids = idOf(await overridesAt(this.app, revision.space, revision.snapshot.commit))
    const place: FileEntry = fileEntry(gitPath, revision.structure.config.root, ids)
    const [file] = await loadFiles(this.app, revision, [place])
    if (!file) throw notFound(`File ${gitPath}`)
    return presentFile(this.app, revision, file, usual)
  }

  #context(revision: OpenRevision): ReturnType<typeof pageContext> {
    const { id } = revision.space.doc
    const known = this.#contexts.get(id) ?? pageContext(this.app, revision, usual, this.#addressed(revision))
    this.#contexts.set(id, known)
    return known
  }

  async #once(key: string, make: () => Promise<object>): Promise<RawJson> {
    const known = this.#made.get(key) ?? make().then(json)
    this.#made.set(key, known)
    return known
  }
}

const json = (value: object): RawJson => new RawJson([Buffer.from(toJson(value))])
