# Calls across the channel, in both directions. While one side waits for an answer it serves the other side's
# questions, so a function passed in can be called back, and call again.


class Peer:
    """Our end. A side says what it exports and resolves; asking and answering is the same for both."""

    side = other = ""
    trusts_comparison = True

    def __init__(self, channel):
        from _thread import RLock

        self.channel = channel
        # A thread of the program may call back, too; it must not read another thread's answer.
        self.lock = RLock()
        self.asked = 0
        self.own = {}
        self.own_ids = {}
        self.generation = 0
        self.describing = set()
        self.stand_ins = {}

    # What the encoder asks.

    def keeps(self, value):
        """Whether `value` stays here although it could be written."""
        return False

    def __call__(self, encoder, value):
        """The node for something that stays here."""
        if isinstance_of(value, type) and _TYPES.get(value.__name__) is value:
            return {"type": value.__name__}
        remote = standing_for(value)
        if remote is not None:
            return {"remote": remote}
        if isinstance_of(value, BaseException) and id(value) not in self.describing:
            return {"error": self.describe_error(encoder, value)}
        return {"remote": self.describe(value)}

    def own_id(self, value):
        at = self.own_ids.get(id(value))
        if at is None:
            at = len(self.own) + 1
            self.own_ids[id(value)] = at
            self.own[at] = value
        return at

    def describe(self, value):
        kind = type(value)
        remote = {"side": self.side, "generation": self.generation, "id": self.own_id(value)}
        if isinstance_of(value, type):
            remote["kind"] = "class"
        elif kind in _FUNCTION_TYPES:
            remote["kind"] = "function"
        elif defined_by(value, "__next__"):
            remote["kind"] = "iterator"
        elif defined_by(value, "__await__"):
            remote["kind"] = "awaitable"
        else:
            remote["kind"] = "object"
        name = getattr(value, "__qualname__", None) if remote["kind"] in ("class", "function") else None
        name = name if type(name) is str else kind.__name__
        remote["name"] = clean(name.rpartition("<locals>.")[2][:200])
        return remote

    def describe_error(self, encoder, error):
        self.describing.add(id(error))
        origin = standing_for(error)
        if origin is None or origin["side"] == self.side:
            origin = {"side": self.side, "generation": self.generation, "id": self.own_id(error)}
        try:
            kind = type(error)
            mro = [base.__name__ for base in type.__dict__["__mro__"].__get__(kind)[:-1]]
            args = error.args if type(error.args) is tuple else ()
            if isinstance_of(error, OSError) and len(args) == 2 and type(error.filename) in (str, bytes, int):
                # It keeps the name of the file elsewhere, and takes it as an argument.
                args = (*args, error.filename)
            return {
                "type": clean(kind.__name__),
                "module": clean(str(kind.__module__)),
                "mro": [clean(name) for name in mro],
                # One that came from the other side goes back as the same object.
                "side": origin["side"],
                "generation": origin["generation"],
                "id": origin["id"],
                "args": [encoder.reference(item) for item in args],
                "text": self.error_text(error),
                "trace": self.trace(error),
            }
        finally:
            self.describing.discard(id(error))

    @staticmethod
    def error_text(error):
        try:
            text = str(error)
        except BaseException:
            text = "(the exception can't be shown)"
        if len(text) > 4000:
            text = f"{text[:2000]} … {len(text) - 4000:,} characters cut … {text[-2000:]}"
        return clean(text)

    def trace(self, error):
        return []

    # What the decoder asks.

    def resolve(self, decoder, remote):
        if remote["side"] == self.side:
            if remote["generation"] != self.generation:
                raise Broken("an object of a program that has ended")
            return self.own[remote["id"]]
        return self.stand_in(remote)

    def stand_in(self, remote):
        """The one stand-in for an object of the other side."""
        key = (remote["generation"], remote["id"])
        if key not in self.stand_ins:
            self.stand_ins[key] = self.new_stand_in(remote)
        return self.stand_ins[key]

    def new_stand_in(self, remote):
        raise NotImplementedError

    def error(self, decoder, content):
        if content["side"] == self.side:
            own = self.own.get(content["id"])
            if content["generation"] == self.generation and isinstance_of(own, BaseException):
                return own
        return make_error(content, decoder.list(content["args"]), self.other)

    def library(self, name):
        raise Broken("a library function from the wrong side")

    # What the stand-ins ask: whether one stands for an object that we have made ourselves, by its class or from such.

    def make(self, value):
        pass

    def mix(self, value):
        pass

    def is_made(self, value):
        return True

    def is_mixed(self, value):
        return False

    def new_class(self, meta, name, bases, body, options):
        raise TypeError("this class can't have another below it")

    # Asking.

    def ask(self, op, /, *operands, **named):
        encoder = Encoder(self)
        written = [encoder.encode(value) for value in operands]
        written_named = [[name, encoder.encode(value)] for name, value in named.items()]
        with self.lock:
            self.asked += 1
            number = self.asked
            frame = {"id": number, "op": op, "operands": written, "named": written_named, "nodes": encoder.nodes}
            self.add_output(frame)
            self.channel.send({"ask": frame})
            while True:
                answer = self.channel.receive()
                if answer is None:
                    self.lost()
                ((kind, content),) = answer.items()
                if kind == "ask":
                    self.heard(content)
                    self.serve(content)
                elif content["id"] == number:
                    break
        return self.answered(kind, content, encoder.alive)

    def answered(self, kind, content, sent):
        if kind == "ended":
            raise ended(content)
        self.heard(content)
        originals = {at: sent[origin] for at, origin in content["same"]}
        decoder = Decoder(content["nodes"], Resolver(self), originals)
        if kind == "return":
            return decoder.value(content["value"])
        raise decoder.resolve.error(decoder, content["error"])

    def lost(self):
        from os import _exit

        _exit(0)

    # Answering.

    def serve(self, ask):
        reply = {"id": ask["id"]}
        changeable, encoder = [], Encoder(self)
        try:
            decoder = Decoder(ask["nodes"], Resolver(self))
            values = decoder.values
            changeable = [at for at, node in enumerate(ask["nodes"]) if not _UNCHANGING.issuperset(node)]
            operands = [decoder.value(written) for written in ask["operands"]]
            named = {name: decoder.value(written) for name, written in ask["named"]}
            result = self.perform(ask["op"], operands, named)
            reply["value"] = encoder.encode(result)
            kind = "return"
        except BaseException as error:
            encoder = Encoder(self)
            reply["error"] = self.describe_error(encoder, error)
            encoder.encode(None)
            kind = "raise"
        # What the call changed in its arguments is sent back, as the same objects.
        same = []
        for at in changeable:
            encoder.encode(values[at])
            same.append([encoder.index[id(values[at])], at])
        reply["nodes"] = encoder.nodes
        reply["same"] = same
        self.add_output(reply)
        self.send_reply({kind: reply})

    def send_reply(self, frame):
        with self.lock:
            self.channel.send(frame)

    def perform(self, op, operands, named):
        raise NotImplementedError

    # What the program printed goes with whatever it says next.

    def add_output(self, frame):
        pass

    def heard(self, content):
        pass


_UNCHANGING = set(
    "tuple frozenset range slice bytes keys values items namedtuple decimal fraction uuid path date timedelta "
    "timezone time datetime scalar type error remote library".split()
)


# What `with` and `async` need, without a name that begins with an underscore.
CONTEXTS = {
    "enter": lambda subject: type(subject).__enter__(subject),
    "exit": lambda subject, kind, error: type(subject).__exit__(subject, kind, error, None),
    "aenter": lambda subject: type(subject).__aenter__(subject),
    "aexit": lambda subject, kind, error: type(subject).__aexit__(subject, kind, error, None),
    "aiter": lambda subject: type(subject).__aiter__(subject),
    "anext": lambda subject: type(subject).__anext__(subject),
}


def run_awaitable(awaitable):
    """Waits for it in a loop of its own, also where another one is waiting for us."""
    import asyncio

    async def main():
        return await awaitable

    events = asyncio.events
    waiting = events._get_running_loop()
    events._set_running_loop(None)
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(main())
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        events._set_running_loop(waiting)


class Resolver:
    """What a decoder needs of a peer."""

    def __init__(self, peer):
        self.peer = peer

    def __call__(self, decoder, remote):
        return self.peer.resolve(decoder, remote)

    def error(self, decoder, content):
        return self.peer.error(decoder, content)

    def library(self, name):
        return self.peer.library(name)
