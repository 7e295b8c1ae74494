// Resources that the resolvers load for the IDs in a request's path. Use cases receive these instead of IDs.
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type {
  ChangeRequestDoc,
  CollectionDoc,
  OrganizationDoc,
  Role,
  SiteDoc,
  SpaceDoc,
  TeamDoc,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { changeRequestRef } from './refs.js'

/** An organization that the caller may see, and their role in it (null = guest). */
export interface LoadedOrganization {
  doc: Document<OrganizationDoc>
  role: Role | null
}

/** A team of an organization. The role is the caller's role in the organization, or `admin` for owners of the team. */
export interface LoadedTeam {
  doc: Document<TeamDoc>
  role: Role | null
}

/** A collection that the caller may see, and their role on it. */
export interface LoadedCollection {
  doc: Document<CollectionDoc>
  role: Role
}

/** A site that the caller may see, and their role on it. */
export interface LoadedSite {
  doc: Document<SiteDoc>
  role: Role
}

/** A space that the caller may see, their role on it, and its repository. */
export interface LoadedSpace {
  doc: Document<SpaceDoc>
  role: Role
  repo: Repository
}

/**
 * A space in a list. The repository is null if it is missing or damaged, so that one broken space does not break the
 * list.
 */
export type ListedSpace = Omit<LoadedSpace, 'repo'> & { repo: Repository | null }

/** A space that the caller may see. Its repository is not opened. */
export type VisibleSpace = Omit<LoadedSpace, 'repo'>

/** A space's ID and repository, which suffice to read and write its content for any caller. A `LoadedSpace` is one. */
export interface SpaceRepository {
  doc: Pick<SpaceDoc, 'id'>
  repo: Repository
}

/** A change request and the head of its branch. */
export interface LoadedChangeRequest {
  doc: Document<ChangeRequestDoc>
  head: CommitId
}

/**
 * Adds the branch head to a change request. If an admin removed the branch, uses the last revision that the document
 * records.
 */
export function loadHead(space: LoadedSpace, doc: Document<ChangeRequestDoc>): LoadedChangeRequest {
  const head = space.repo.refs.head(changeRequestRef(doc.number)) ?? doc.revisionMerged ?? doc.revisionInitial
  return { doc, head }
}
