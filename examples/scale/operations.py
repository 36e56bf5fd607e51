"""Fifteen operations over the pool: what the model would see if the authors of the eight domains had composed it."""

from __future__ import annotations

from typing import Annotated

from capdeco import Doc, Step, capability, operation
from examples.scale.browser import PageId, browser_console, browser_links, browser_requests, browser_text
from examples.scale.cloud import (
    BucketId,
    InstanceId,
    Key,
    cloud_alarms,
    cloud_instance,
    cloud_load,
    cloud_object_get,
    cloud_objects,
)
from examples.scale.db import DatabaseId, TableName, db_backup, db_columns, db_count, db_indexes, db_vacuum
from examples.scale.fs import FileId, fs_head, fs_stat
from examples.scale.git import git_branches, git_fetch, git_log, git_push, git_status
from examples.scale.image import ImageId, image_compress, image_histogram, image_info, image_palette, image_resize
from examples.scale.net import HostId, net_certificate, net_ping, net_ports, net_resolve, net_trace
from examples.scale.pdf import DocumentId, pdf_links, pdf_outline, pdf_pages, pdf_text

RepoId = Annotated[str, Doc("Id of the repository.")]


@capability(id="git", description="Repositories: look at one, or bring it to its remote.")
class Git:
    @operation(steps=[Step(git_status), Step(git_log), Step(git_branches)])
    def inspect(self, repo: RepoId, limit: Annotated[int, Doc("How many commits.")] = 5) -> None:
        """Show where a repository stands: status against its upstream, last commits, branches."""

    @operation(steps=[Step(git_fetch), Step(git_push)])
    def publish(self, repo: RepoId, remote: str = "origin") -> None:
        """Send a repository's commits to a remote, after asking what that has."""


@capability(id="browser", description="Pages that are open in the browser.")
class Browser:
    @operation(steps=[Step(browser_text), Step(browser_links)])
    def survey(self, page: PageId, limit: Annotated[int, Doc("Characters of text.")] = 2000) -> None:
        """Read a page: its text and where it links to."""

    @operation(steps=[Step(browser_console), Step(browser_requests)])
    def diagnose(self, page: PageId, failed: Annotated[bool, Doc("Only failed requests.")] = True) -> None:
        """Find out what went wrong on a page: its console and its requests."""


@capability(id="db", description="Databases: describe a table, or keep a database in shape.")
class Db:
    @operation(steps=[Step(db_columns), Step(db_indexes), Step(db_count)])
    def describe(self, database: DatabaseId, table: TableName) -> None:
        """Describe a table: columns, indexes and the number of rows."""

    @operation(steps=[Step(db_backup), Step(db_vacuum)])
    def maintain(self, database: DatabaseId, label: Annotated[str, Doc("Name of the backup.")] = "routine") -> None:
        """Back a database up, then give its free pages back."""


@capability(id="pdf", description="PDF documents.")
class Pdf:
    @operation(steps=[Step(pdf_pages), Step(pdf_text)])
    def digest(self, document: DocumentId, limit: Annotated[int, Doc("Characters of text.")] = 500) -> None:
        """Take a first look at a document: how many pages, and how its text begins."""

    @operation(steps=[Step(pdf_outline), Step(pdf_links)])
    def structure(self, document: DocumentId) -> None:
        """Show how a document is built: table of contents and links."""


@capability(id="image", description="Images: look at one, or make it ready to publish.")
class Image:
    @operation(steps=[Step(image_info), Step(image_histogram), Step(image_palette)])
    def profile(self, image: ImageId, colours: Annotated[int, Doc("How many main colours.")] = 4) -> None:
        """Describe an image: size and format, brightness, main colours."""

    @operation(steps=[Step(image_resize), Step(image_compress)])
    def publish(self, image: ImageId, width: Annotated[int, Doc("In pixels.")], quality: int = 80) -> None:
        """Scale an image to a width, then compress it."""


@capability(id="net", description="Machines of the network.")
class Net:
    @operation(steps=[Step(net_ping), Step(net_trace), Step(net_ports)])
    def diagnose(self, machine: HostId) -> None:
        """Find out why a machine does not answer: ping, route, open ports."""

    @operation(steps=[Step(net_resolve), Step(net_certificate)])
    def identify(self, machine: HostId) -> None:
        """Say who a machine is: name, address, certificate."""


@capability(id="cloud", description="Rented instances and buckets.")
class Cloud:
    @operation(steps=[Step(cloud_instance), Step(cloud_load), Step(cloud_alarms)])
    def review(self, instance: InstanceId, hours: Annotated[int, Doc("How far back.")] = 6) -> None:
        """Review an instance: what it is, how busy, which alarms ring."""

    @operation(steps=[Step(cloud_objects), Step(cloud_object_get)])
    def fetch(self, bucket: BucketId, key: Key) -> None:
        """Read an object, beside the list of what else is in its bucket."""


@capability(id="fs", description="Files.")
class Fs:
    @operation(steps=[Step(fs_stat), Step(fs_head)])
    def preview(self, file: FileId, lines: Annotated[int, Doc("How many.")] = 10) -> None:
        """Preview a file: what it is, and its first lines."""
