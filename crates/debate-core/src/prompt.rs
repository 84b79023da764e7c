//! Prompts: the messages that a model receives.

/// The author of a message, as providers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageRole {
    /// The server's instructions to the model.
    System,
    /// The server's request and its data.
    User,
    /// An earlier answer of the model.
    Assistant,
}

/// One message of a prompt.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// The author of the message.
    pub role: MessageRole,
    /// The content of the message.
    pub text: String,
}

/// Shows the size only: prompts must not reach a log.
impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Message({:?}, {} bytes)", self.role, self.text.len())
    }
}

/// The messages in order. The first one has the role [`MessageRole::System`].
pub type Prompt = Vec<Message>;
