"""Methods of `Memory` whose keywords are the fields of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast, overload

if TYPE_CHECKING:
    import inspect

    from commonplace.memory.open_workspace import OpenWorkspace
Fields = ParamSpec("Fields")
GivenRequest = TypeVar("GivenRequest")
Answer = TypeVar("Answer")
GivenRequest_contra = TypeVar("GivenRequest_contra", contravariant=True)
Answer_co = TypeVar("Answer_co", covariant=True)


class BoundRequestMethod(Protocol[Fields, GivenRequest_contra, Answer_co]):
    """`memory.recall(RecallRequest("who sails?", k=3))`, or the same as `memory.recall("who sails?", k=3)`."""

    @overload
    def __call__(self, request: GivenRequest_contra, /) -> Answer_co: ...
    @overload
    def __call__(self, *arguments: Fields.args, **keywords: Fields.kwargs) -> Answer_co: ...


class RequestMethod(Protocol[Fields, GivenRequest_contra, Answer_co]):
    """A method as it stands in the class."""

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[..., Answer_co]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> BoundRequestMethod[Fields, GivenRequest_contra, Answer_co]: ...


def request_method(
    build: Callable[Fields, GivenRequest], run: Callable[[OpenWorkspace, GivenRequest], Answer]
) -> RequestMethod[Fields, GivenRequest, Answer]:
    """A method that takes a request, or the fields of one, and runs a function on the workspace of the memory.

    `build` is the class of the request. The docstring is that of the function.
    """
    request_type = cast("type[GivenRequest]", build)

    def method(memory: Any, *arguments: Any, **keywords: Any) -> Answer:
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], request_type):
            return run(memory.workspace, arguments[0])
        return run(memory.workspace, request_type(*arguments, **keywords))

    method.__doc__ = run.__doc__
    method.__dict__["__wrapped__"] = _LazySignature(request_type)
    return cast("RequestMethod[Fields, GivenRequest, Answer]", method)


class _LazySignature:
    """What `inspect` shows for a method: the fields of its request. Made when it is asked for, not at each start."""

    def __init__(self, request_type: type) -> None:
        self._request_type = request_type

    @property
    def __signature__(self) -> inspect.Signature:
        from inspect import Parameter, Signature, signature

        from commonplace.operations.declarations import request_fields

        fields = request_fields(self._request_type)
        parameters = signature(self._request_type).parameters.values()
        own = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
        return Signature([own, *(one.replace(annotation=fields[one.name].type) for one in parameters)])
